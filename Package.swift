// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Hyperbasis",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Hyperbasis", targets: ["Hyperbasis"]),
    .library(name: "HyperbasisSimulator", targets: ["HyperbasisSimulator"]),
    .executable(name: "hyperbasis", targets: ["HyperbasisCommand"]),
  ],
  targets: [
    .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),
    .systemLibrary(name: "CLZ4", providers: [.apt(["liblz4-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),

    .target(name: "HyperbasisCore", swiftSettings: strict),
    .target(name: "HyperbasisSync", dependencies: ["HyperbasisCore"], swiftSettings: strict),
    .target(
      name: "HyperbasisStore", dependencies: ["HyperbasisCore", "CSQLite"], swiftSettings: strict),
    .target(
      name: "HyperbasisBlob",
      dependencies: [
        "HyperbasisCore", "CZlib",
        // Apple's own frameworks stand in for these two.
        .target(name: "CLZ4", condition: .when(platforms: [.linux])),
        .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .target(
      name: "HyperbasisNet", dependencies: ["CDNSSD"], swiftSettings: strict,
      // On Apple the functions are in the system's own library.
      linkerSettings: [.linkedLibrary("dns_sd", .when(platforms: [.linux]))]),
    .target(
      name: "HyperbasisSimulator", dependencies: ["HyperbasisCore", "HyperbasisSync"],
      swiftSettings: strict),
    .target(
      name: "Hyperbasis",
      dependencies: [
        "HyperbasisCore", "HyperbasisSync", "HyperbasisStore", "HyperbasisNet", "HyperbasisBlob",
        .target(name: "CMalloc", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "HyperbasisCommand",
      dependencies: [
        "Hyperbasis", "HyperbasisCore", "HyperbasisNet", "HyperbasisSimulator", "HyperbasisStore",
        "HyperbasisSync",
      ],
      path: "Demo/Command", swiftSettings: strict),

    .executableTarget(name: "latency", path: "Tests/Latency", swiftSettings: strict),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Hyperbasis", "HyperbasisBlob", "HyperbasisCore", "HyperbasisNet", "HyperbasisSimulator",
        "HyperbasisStore", "HyperbasisSync", "CDNSSD", "CSQLite", "CZlib",
        .target(name: "CMalloc", condition: .when(platforms: [.linux])),
      ],
      path: "Tests/Benchmarks", exclude: ["discovery.sh", "peer.py", "traces.sh"],
      swiftSettings: strict),
    .executableTarget(
      name: "SimulatorRun", dependencies: ["HyperbasisSimulator", "HyperbasisCore"],
      path: "Tests/SimulatorRun", swiftSettings: strict),
    .executableTarget(
      name: "RealRun",
      dependencies: [
        "Hyperbasis", "HyperbasisBlob", "HyperbasisCore", "HyperbasisSimulator", "HyperbasisStore",
      ],
      path: "Tests/RealRun", swiftSettings: strict),
    // With the flags of Tests/fuzz it is a fuzzer; here it replays the inputs that are kept.
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "Hyperbasis", "HyperbasisBlob", "HyperbasisCore", "HyperbasisNet", "HyperbasisSimulator",
        "HyperbasisStore", "HyperbasisSync", "CSQLite",
      ],
      path: "Tests/Fuzz", exclude: ["Corpus", "Fixtures", "Dictionaries"], swiftSettings: strict),
    .testTarget(name: "CoreTests", dependencies: ["HyperbasisCore"], swiftSettings: strict),
    .testTarget(
      name: "SyncTests", dependencies: ["HyperbasisCore", "HyperbasisSync"], swiftSettings: strict),
    .testTarget(
      name: "SimulatorTests", dependencies: ["HyperbasisSimulator"], exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "StoreTests",
      dependencies: ["HyperbasisStore", "HyperbasisCore", "HyperbasisBlob", "CSQLite"],
      exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
      name: "BlobTests", dependencies: ["HyperbasisBlob", "HyperbasisCore"],
      swiftSettings: strict),
    .testTarget(
      name: "NetTests", dependencies: ["HyperbasisNet"], swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: ["HyperbasisCommand", "HyperbasisCore", "HyperbasisSimulator"],
      swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Fuzz", "HyperbasisCore", "HyperbasisSimulator", "HyperbasisStore", "HyperbasisSync",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HyperbasisTests",
      dependencies: [
        "Hyperbasis", "HyperbasisCore", "HyperbasisStore", "HyperbasisSync", "HyperbasisNet",
        "HyperbasisBlob", "CSQLite",
      ],
      swiftSettings: strict),
  ]
)
