// In the place of Combine, for the gate `.ci/seed`: what the listing uses of it, and no more.

public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct Published<Value> {
  public let projectedValue: Publisher

  public init(wrappedValue: Value) {
    projectedValue = Publisher(wrappedValue)
  }

  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
  }

  public final class Publisher {
    fileprivate var value: Value {
      didSet { for tell in readers { tell(value) } }
    }
    private var readers: [(Value) -> Void] = []

    fileprivate init(_ value: Value) {
      self.value = value
    }
  }
}

extension Published.Publisher where Value: Sendable {
  /// The value now, and those to come.
  public var values: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    continuation.yield(value)
    readers.append { continuation.yield($0) }
    return stream
  }
}
