import HyperbasisCore
import Testing

@Suite struct DefectTests {
  #if !HYPERBASIS_DEFECTS
    @Test func `an ordinary build breaks no rule`() {
      #expect(Defect.allCases.allSatisfy { !$0.isPlanted })
    }
  #endif

  @Test func `there are as many rules to break as were promised, each once`() {
    #expect(Defect.allCases.count >= 26)
  }
}
