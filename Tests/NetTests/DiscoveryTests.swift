import Testing

@testable import HyperbasisNet

#if os(Linux)
  import Glibc

  extension NetTests {
    /// What can be seen of discovery on a machine without a message bus; the rest needs two network
    /// namespaces.
    @Suite struct DiscoveryTests {
      private let events = Locked<[DiscoveryEvent]>([])

      init() {
        setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
      }

      private func begin(_ discovery: DNSSDDiscovery) {
        discovery.start(advertisement: Advertisement(instanceName: "x", port: 7)) {
          [events] event in
          events.withLock { $0.append(event) }
        }
      }

      @Test func missingDaemonIsAStatusAndIsTriedAgain() throws {
        do {
          let discovery = try DNSSDDiscovery()
          begin(discovery)
          discovery.refresh("nobody")
          try wait("status") { events.withLock { $0.count } >= 2 }
          let began = MonotonicClock.now
          discovery.stop()
          #expect(MonotonicClock.now - began < NetLimits.discoveryStopMilliseconds)
        }
        let told = events.withLock { $0 }
        #expect(told.first == .status(.starting))
        #expect(told.last == .status(.stopped))
        #expect(told.count == 3)
        guard case .status(.unavailable(let reason, retrying: true)) = told[1] else {
          Issue.record("\(told)")
          return
        }
        #expect(reason.contains("avahi-daemon"))
      }

      /// In a process of its own: tests beside it open descriptors too.
      @Test func stoppedDiscoveryLeaksNoDescriptor() async {
        await #expect(processExitsWith: .success) {
          func runOnce() throws {
            let count = Locked(0)
            let discovery = try DNSSDDiscovery()
            discovery.start(advertisement: nil) { _ in count.withLock { $0 += 1 } }
            try wait("status") { count.withLock { $0 } >= 2 }
            discovery.stop()
          }
          try runOnce()
          let descriptors = openDescriptors()
          for _ in 0..<5 { try runOnce() }
          // One a round would be a leak; one in all is the runtime's own.
          #expect(openDescriptors() - descriptors < 5)
        }
      }

      @Test func stopBeforeStartAndTwiceIsHarmless() throws {
        let unused = try DNSSDDiscovery()
        unused.stop()
        unused.stop()
        let used = try DNSSDDiscovery()
        begin(used)
        used.stop()
        used.stop()
        #expect(events.withLock { $0.last } == .status(.stopped))
      }

      @Test func stopFromInsideAnEventDoesNotWaitForItself() throws {
        let discovery = try DNSSDDiscovery()
        discovery.start(advertisement: nil) { [events] event in
          events.withLock { $0.append(event) }
          discovery.stop()
        }
        try wait("end") { events.withLock { $0.last } == .status(.stopped) }
      }

      @Test func avahiGetsClearedMemory() {
        #expect(AvahiMemory.isCleared)
      }
    }
  }
#endif
