#if HYPERBASIS_FUZZER
  import Glibc

  /// The target that `HYPERBASIS_FUZZ` names; a variable, since libFuzzer starts itself again for some
  /// of its work.
  private let chosen: any FuzzTarget.Type = {
    let wanted = getenv("HYPERBASIS_FUZZ").map { String(cString: $0) } ?? ""
    guard let target = fuzzTargets.first(where: { $0.name == wanted }) else {
      let names = fuzzTargets.map { $0.name }.joined(separator: ", ")
      fatalError("HYPERBASIS_FUZZ is '\(wanted)', expected one of \(names)")
    }
    return target
  }()

  /// What libFuzzer calls for each input; its `main` is that of the program.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
      try chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
      fatalError("\(chosen.name): \(error)")
    }
    return 0
  }
#endif
