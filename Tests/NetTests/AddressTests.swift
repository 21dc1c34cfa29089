import HyperbasisNet
import Testing

extension NetTests {
  @Suite struct AddressTests {
    @Test(arguments: [
      ("10.0.0.1:7000", "10.0.0.1:7000"),
      ("255.255.255.255:1", "255.255.255.255:1"),
      ("[::1]:65535", "[::1]:65535"),
      ("[2001:DB8:0:0::5]:80", "[2001:db8::5]:80"),
      ("[fe80::1%1]:7000", "[fe80::1%lo]:7000"),
      ("[::ffff:10.0.0.1]:7000", "10.0.0.1:7000"),
      ("[2001:db8::1%1]:7000", "[2001:db8::1]:7000"),
    ])
    func numericAddressesAreRead(text: String, canonical: String) throws {
      let address = try SocketAddress(parsing: text)
      #if os(Linux)
        #expect("\(address)" == canonical)
      #endif
      #expect(try SocketAddress(parsing: "\(address)") == address)
    }

    @Test func hostNamesWaitForTheResolver() throws {
      #expect(
        try Endpoint(parsing: "studio.local:7000") == .name("studio.local", port: 7000))
      #expect(try Endpoint(parsing: "müller.local.:1") == .name("müller.local.", port: 1))
      #expect(throws: AddressError.notNumeric(text: "studio.local:7000")) {
        try SocketAddress(parsing: "studio.local:7000")
      }
    }

    @Test(arguments: [
      ("10.0.0.1", AddressError.noPort(text: "10.0.0.1")),
      ("", .noPort(text: "")),
      ("[::1]", .noPort(text: "[::1]")),
      ("10.0.0.1:", .badPort(text: "10.0.0.1:", port: "")),
      ("10.0.0.1:0", .badPort(text: "10.0.0.1:0", port: "0")),
      ("10.0.0.1:65536", .badPort(text: "10.0.0.1:65536", port: "65536")),
      ("10.0.0.1:+80", .badPort(text: "10.0.0.1:+80", port: "+80")),
      ("host:http", .badPort(text: "host:http", port: "http")),
      (":7000", .badHost(text: ":7000", host: "")),
      ("[]:7000", .badHost(text: "[]:7000", host: "")),
      ("[10.0.0.1]:7000", .badHost(text: "[10.0.0.1]:7000", host: "10.0.0.1")),
      ("10.0.0.256:1", .badHost(text: "10.0.0.256:1", host: "10.0.0.256")),
      ("10.0.1:1", .badHost(text: "10.0.1:1", host: "10.0.1")),
      ("a b:1", .badHost(text: "a b:1", host: "a b")),
      ("a..b:1", .badHost(text: "a..b:1", host: "a..b")),
      ("[::1:7000", .badHost(text: "[::1:7000", host: "[::1")),
      ("::1:7000", .needsBrackets(text: "::1:7000")),
      (
        "[fe80::1%nosuch0]:1",
        .noSuchInterface(text: "[fe80::1%nosuch0]:1", interface: "nosuch0")
      ),
    ])
    func wrongAddressesSayWhatIsWrong(text: String, error: AddressError) {
      #expect(throws: error) { try Endpoint(parsing: text) }
      #expect("\(error)".contains("'"))
    }

    @Test func kindsOfAddresses() throws {
      #expect(try SocketAddress(parsing: "169.254.3.4:1").isLinkLocal)
      #expect(try SocketAddress(parsing: "[febf::1%1]:1").isLinkLocal)
      #expect(try !SocketAddress(parsing: "[fec0::1]:1").isLinkLocal)
      #expect(try !SocketAddress(parsing: "10.0.0.1:1").isLinkLocal)
      #expect(SocketAddress.loopback4(port: 1).isLoopback)
      #expect(SocketAddress.loopback6(port: 1).isLoopback)
      #expect(SocketAddress.loopback4(port: 1).with(port: 2).port == 2)
    }

    @Test func resolverAnswersOnTheReactor() throws {
      let host = try Host()
      let resolver = HostResolver()
      let answers = Locked<[Result<[SocketAddress], ResolveError>]>([])
      for name in ["localhost", "no-such-host.invalid"] {
        resolver.resolve(name: name, port: 7000, on: host.reactor) { [reactor = host.reactor] in
          _ = reactor.unsentBytes(LinkID(0))  // traps on a foreign thread
          let answer = $0
          answers.withLock { $0.append(answer) }
        }
      }
      try wait("answers", seconds: 60) { answers.withLock { $0.count } == 2 }
      let (found, missing) = answers.withLock { ($0[0], $0[1]) }
      #expect(try found.get().contains(.loopback4(port: 7000)))
      guard case .failure(.notFound(let name, let reason)) = missing else {
        Issue.record("\(missing)")
        return
      }
      #expect(name == "no-such-host.invalid")
      #expect(!reason.isEmpty)
    }

    @Test func stoppedResolverSaysSo() {
      let resolver = HostResolver()
      resolver.stop()
      let answer = Locked<Result<[SocketAddress], ResolveError>?>(nil)
      resolver.resolve(name: "localhost", port: 1) { result in
        answer.withLock { $0 = result }
      }
      #expect(answer.withLock { $0 } == .failure(.stopped(name: "localhost")))
    }
  }
}
