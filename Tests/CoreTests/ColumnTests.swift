import Testing

@testable import HyperbasisCore

@Suite struct ColumnTests {
  /// Several pieces of them.
  private let many = 20_000

  private func column(_ count: Int) -> Column<Int> {
    var column = Column<Int>()
    for number in 0..<count { column.append(number) }
    return column
  }

  @Test func itHoldsWhatWasAddedInOrder() {
    let column = column(many)
    #expect(column.count == many)
    #expect(column.elementsEqual(0..<many))
    #expect(Column<Int>().isEmpty)
  }

  @Test func theLastAreTakenBackOverTheEndsOfPieces() {
    var column = column(many)
    for number in (many / 3..<many).reversed() { #expect(column.removeLast() == number) }
    #expect(column.elementsEqual(0..<many / 3))
    for number in many / 3..<many { column.append(number) }
    #expect(column.elementsEqual(0..<many))
    while !column.isEmpty { column.removeLast() }
    column.append(7)
    #expect(column.elementsEqual([7]))
  }

  @Test func aCopyIsNotChangedByTheOther() {
    let before = column(many)
    var after = before
    for index in stride(from: 0, to: many, by: 777) { after[index] = -index }
    after.append(-1)
    #expect(before.elementsEqual(0..<many))
    #expect(
      after.elementsEqual((0..<many).map { $0.isMultiple(of: 777) ? -$0 : $0 } + [-1]))
  }

  @Test func whatIsKeptStaysInOrder() {
    for divisor in [1, 2, 3, 1_000, many] {
      var column = column(many)
      column.keep { $0.isMultiple(of: divisor) }
      #expect(column.elementsEqual(stride(from: 0, to: many, by: divisor)))
    }
  }

  @Test func itIsSortedOverItsPieces() {
    var column = Column<Int>()
    for number in (0..<many).reversed() { column.append(number) }
    column.sort()
    #expect(column.elementsEqual(0..<many))
  }

  /// Large elements have few to a piece.
  @Test func largeElementsHavePiecesToo() {
    var column = Column<(Transform, Transform)>()
    for _ in 0..<1_000 { column.append((.identity, .identity)) }
    #expect(column.count == 1_000 && column.allSatisfy { $0.0 == .identity })
  }
}
