// swift-tools-version: 6.2
import PackageDescription

// A package of its own that depends on Hyperbasis, as an app's would.
let package = Package(
  name: "StickyNotes",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "hyperbasis", path: "../..")],
  targets: [
    .executableTarget(
      name: "sticky-notes", dependencies: [.product(name: "Hyperbasis", package: "hyperbasis")],
      path: "Sources", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
