/// Finds peers on the local network and makes this machine found; all its work is elsewhere than on
/// the caller's thread.
///
/// ``DNSSDDiscovery`` is the real one. A test, or Apple's Network framework, may stand in.
package protocol Discovery: AnyObject, Sendable {
  /// Begins; `onEvent` is called from one thread at a time, which is not the caller's to block.
  ///
  /// - Parameter advertisement: what others shall find; nil only looks.
  /// - Precondition: called at most once.
  func start(
    advertisement: Advertisement?, onEvent: @escaping @Sendable (DiscoveryEvent) -> Void)

  /// Asks anew for the addresses of a service, for example because none of the known ones answers.
  func refresh(_ instanceName: String)

  /// Withdraws the advertisement and ends; no event comes after it returned, except from a daemon
  /// that hangs, for which it waits ``NetLimits/discoveryStopMilliseconds`` at most.
  func stop()
}

/// What a device tells about itself to the local network.
package struct Advertisement: Hashable, Sendable {
  /// At most 63 bytes of UTF-8. Another device may have it too; then the daemon appends a number.
  package let instanceName: String
  package let port: UInt16
  package let txt: TXTRecord

  /// Control characters are left out of the name, which is cut between characters where it is too
  /// long and becomes `hyperbasis` where nothing remains.
  package init(instanceName: String, port: UInt16, txt: TXTRecord = .empty) {
    var name = ""
    for character in instanceName {
      let isControl = character.unicodeScalars.contains {
        $0.properties.generalCategory == .control
      }
      if isControl { continue }
      guard name.utf8.count + character.utf8.count <= NetLimits.instanceNameBytes else { break }
      name.append(character)
    }
    self.instanceName = name.isEmpty ? "hyperbasis" : name
    self.port = port
    self.txt = txt
  }

  /// The same under the name with ` #2` or another number behind, cut to fit.
  func renamed(_ number: Int) -> Advertisement {
    let suffix = " #\(number)"
    var name = instanceName
    while name.utf8.count + suffix.utf8.count > NetLimits.instanceNameBytes { name.removeLast() }
    return Advertisement(instanceName: name + suffix, port: port, txt: txt)
  }
}

/// How discovery is doing.
package enum DiscoveryStatus: Hashable, Sendable, CustomStringConvertible {
  /// Asking the daemon.
  case starting
  /// Others can find this device under the name, which is nil for one that only looks.
  case running(registeredName: String?)
  /// Nobody is found for now; `reason` is for a person.
  case unavailable(reason: String, retrying: Bool)
  /// Ended by the caller.
  case stopped

  package var description: String {
    switch self {
    case .starting: "discovery is starting"
    case .running(nil): "discovery is looking for others"
    case .running(let name?): "discovery is running; this device is found as '\(name)'"
    case .unavailable(let reason, retrying: true):
      "discovery is unavailable: \(reason) (trying again)"
    case .unavailable(let reason, retrying: false): "discovery is unavailable: \(reason)"
    case .stopped: "discovery is stopped"
    }
  }
}

/// A peer, or this device itself, or something foreign of the same service type.
package struct DiscoveredService: Hashable, Sendable {
  /// Unique on the local network at one time; no proof of identity.
  package let instanceName: String
  /// The machine's name, for example `studio.local.`.
  package let host: String
  package let port: UInt16
  /// All addresses known so far, at least one, each with the port; in no order of preference.
  package let addresses: [SocketAddress]
  package let txt: TXTRecord
}

/// What ``Discovery`` tells.
package enum DiscoveryEvent: Hashable, Sendable {
  /// Only when it differs from the last one.
  case status(DiscoveryStatus)
  /// A service with an address and a port is there; comes again when something about it changed.
  case found(DiscoveredService)
  /// A service that was found is gone from the last interface and family.
  case lost(instanceName: String)
}
