// In the place of SwiftUI, for the gate `.ci/seed`: the listing's views are made and their tasks run,
// and nothing is drawn.

@MainActor
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { return preconditionFailure("it is not drawn") }
}

/// A view without views in it.
@MainActor
public protocol Leaf: View where Body == Never {}

extension Leaf {
  // The `return` keeps the builder out of it.
  public var body: Never { return preconditionFailure("it is not drawn") }
}

@MainActor
public protocol Scene {}

@MainActor
public protocol App {
  associatedtype Body: Scene
  init()
  var body: Body { get }
}

/// What views left behind that were made.
@MainActor
public enum Screen {
  /// The actions of `task`.
  public static var tasks: [() async -> Void] = []
  /// Whether the last alert that was made is shown.
  public static var showsAlert = false
  fileprivate static var objects: [ObjectIdentifier: AnyObject] = [:]
}

@resultBuilder
@MainActor
public enum ViewBuilder {
  public static func buildBlock<each Content: View>(_ views: repeat each Content) -> Group {
    Group()
  }
  public static func buildOptional(_ view: Group?) -> Group { Group() }
  public static func buildExpression<Content: View>(_ view: Content) -> Content { view }
}

// MARK: Views

public struct Group: Leaf {}

public struct ZStack: Leaf {
  public init(@ViewBuilder content: () -> some View) { _ = content() }
}

public struct VStack: Leaf {
  public init(spacing: Double? = nil, @ViewBuilder content: () -> some View) { _ = content() }
}

public struct WindowGroup: Scene {
  public init(@ViewBuilder content: () -> some View) { _ = content() }
}

public struct Spacer: Leaf {
  public init() {}
}

public struct ProgressView: Leaf {
  public init() {}
}

public struct Text: Leaf {
  public init(_ text: String) {}
}

public struct Button: Leaf {
  public init(_ title: String, action: @escaping () -> Void) {}
}

public struct Color: Leaf {
  public static let black = Color()
  public static let white = Color()
  public func opacity(_ opacity: Double) -> Color { self }
}

extension View {
  public func foregroundColor(_ color: Color) -> Self { self }
  public func scaleEffect(_ factor: Double) -> Self { self }
  public func ignoresSafeArea() -> Self { self }

  public func task(_ action: @escaping () async -> Void) -> Self {
    Screen.tasks.append(action)
    return self
  }

  public func alert(
    _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
    @ViewBuilder message: () -> some View
  ) -> Self {
    Screen.showsAlert = isPresented.value
    _ = (actions(), message())
    return self
  }

  public func environmentObject<Object: ObservableObject>(_ object: Object) -> Self {
    Screen.objects[ObjectIdentifier(Object.self)] = object
    return self
  }
}

// MARK: State

public struct Binding<Value> {
  fileprivate let value: Value
  public static func constant(_ value: Value) -> Self { Self(value: value) }
}

@propertyWrapper
@MainActor
public struct StateObject<Object: ObservableObject> {
  public let wrappedValue: Object
  public init(wrappedValue: @autoclosure () -> Object) { self.wrappedValue = wrappedValue() }
}

@propertyWrapper
@MainActor
public struct EnvironmentObject<Object: ObservableObject> {
  public init() {}
  public var wrappedValue: Object {
    guard let object = Screen.objects[ObjectIdentifier(Object.self)] as? Object else {
      preconditionFailure("no \(Object.self) was given to the view")
    }
    return object
  }
}
