/// Where the rows of a table are that have an integer as their key.
struct RowRange {
  let table: String
  let key: String
  /// Besides the key.
  let columns: String
  /// Of the rows, such as `space = ?3`; empty for all.
  var condition = ""
  /// What is bound in the condition, from 3.
  var values: [Int64] = []
  /// Exclusive, both.
  var after = Int64.min
  var before = Int64.max

  fileprivate func select(_ order: Order) -> String {
    let condition = condition.isEmpty ? "" : condition + " AND "
    return """
      SELECT \(key), \(columns) FROM \(table) WHERE \(condition)\(key) > ?1 AND \(key) < ?2
      ORDER BY \(key) \(order.rawValue)
      """
  }

  /// The rows between two keys, exclusive, by a text of ``select(_:)``.
  fileprivate func rows(
    _ select: String, after low: Int64, before high: Int64, in database: Database
  ) throws(StoreError) -> Statement {
    let rows = try Statement(select, in: database)
    for (index, value) in values.enumerated() { rows.bind(Int32(3 + index), value) }
    return rows.bind(1, low).bind(2, high)
  }

  fileprivate enum Order: String {
    case ascending = "ASC"
    case descending = "DESC"
    case first = "ASC LIMIT 1"
  }
}

extension Database {
  /// Gives every row that can be read, its key as column 0; those behind a page that cannot be read as
  /// well, which come from the last to the first.
  ///
  /// - Returns: the first error that was met; nil when all rows were read, ascending.
  func scan(_ range: RowRange, take: (Statement) -> Void) -> StoreError? {
    let ascending = range.select(.ascending)
    var low = range.after
    var failure: StoreError?
    while true {
      do throws(StoreError) {
        let rows = try range.rows(ascending, after: low, before: range.before, in: self)
        while try rows.step() {
          // In a damaged tree they may go back, for ever.
          guard rows.integer(0) > low else { throw .damaged(path: "", what: "keys do not ascend") }
          low = rows.integer(0)
          take(rows)
        }
        return failure
      } catch {
        failure = failure ?? error
      }
      guard let next = firstKey(of: range, beyond: low) else { return failure }
      do throws(StoreError) {
        let rows = try range.rows(
          range.select(.descending), after: low, before: next, in: self)
        var high = next
        while try rows.step(), rows.integer(0) < high {
          high = rows.integer(0)
          take(rows)
        }
      } catch {
        // The other end of what cannot be read.
      }
      low = next - 1
    }
  }

  /// The first key that can be found in growing steps behind what cannot be read: at most 64 look-ups.
  private func firstKey(of range: RowRange, beyond low: Int64) -> Int64? {
    let first = range.select(.first)
    var step: Int64 = 1
    while true {
      let (start, isBeyond) = low.addingReportingOverflow(step)
      guard !isBeyond, start < range.before else { return nil }
      do throws(StoreError) {
        let rows = try range.rows(first, after: start, before: range.before, in: self)
        guard try rows.step() else { return nil }
        if rows.integer(0) > start { return rows.integer(0) }
      } catch {
        // It lies beyond what cannot be read, or there is none.
      }
      let (doubled, isMost) = step.multipliedReportingOverflow(by: 2)
      guard !isMost else { return nil }
      step = doubled
    }
  }
}
