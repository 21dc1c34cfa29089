import Foundation
import HyperbasisNet

/// A service is made known, by this library and by the bare DNS-SD library in turns, until a bare browser sees it.
///
/// It needs a daemon: run it on a host of the lab.
enum RegistrationWorkload {
  private static let rounds = 8

  static func run() async throws -> [Figures] {
    let sightings = Sightings()
    let browser = try sightings.browse()
    defer { browser.end() }
    var (ours, bare) = (Samples(), Samples())
    for round in 0..<rounds {
      let name = "ours-\(round)-\(UUID().uuidString.prefix(8))"
      var start = ContinuousClock.now
      let discovery = try DNSSDDiscovery()
      discovery.start(advertisement: Advertisement(instanceName: name, port: 4_000)) { _ in }
      ours.add(await sightings.first { $0 == name }.time - start)
      discovery.stop()

      let other = "bare-\(round)-\(UUID().uuidString.prefix(8))"
      start = ContinuousClock.now
      let service = try BareService.register(other, port: 4_000)
      bare.add(await sightings.first { $0 == other }.time - start)
      service.end()
    }
    var figures = Figures(workload: "registration")
    figures.set("seen_s", ours.quantile(0.5))
    var plain = Figures(of: "dns_sd", workload: "registration")
    plain.set("seen_s", bare.quantile(0.5))
    return [figures, plain]
  }
}
