// Not compiled here. A view needs nothing of this to follow an `HBPersistenceManager`, which is
// observable: `.environment(persistence)` and `@Environment(HBPersistenceManager.self)` do.

#if canImport(Combine)
  import Combine
  import Observation

  /// A manager for views that still use `@StateObject` and `@EnvironmentObject`.
  ///
  /// ```swift
  /// @StateObject private var persistence = HBPersistenceObject(HBPersistenceManager())
  /// ```
  @MainActor
  @dynamicMemberLookup
  public final class HBPersistenceObject: ObservableObject {
    /// The manager that it follows.
    public let manager: HBPersistenceManager

    /// Follows a manager for as long as it lives itself.
    public init(_ manager: HBPersistenceManager) {
      self.manager = manager
      follow()
    }

    /// What the manager has.
    public subscript<Value>(dynamicMember path: KeyPath<HBPersistenceManager, Value>) -> Value {
      manager[keyPath: path]
    }

    /// What the manager has, and what can be set in it.
    public subscript<Value>(
      dynamicMember path: ReferenceWritableKeyPath<HBPersistenceManager, Value>
    ) -> Value {
      get { manager[keyPath: path] }
      set { manager[keyPath: path] = newValue }
    }

    private func follow() {
      withObservationTracking {
        _ = (manager.currentSpace, manager.isSaving, manager.isLoading, manager.lastError)
      } onChange: { [weak self] in
        Task { @MainActor in
          self?.objectWillChange.send()
          self?.follow()
        }
      }
    }
  }
#endif

#if canImport(SwiftUI)
  import SwiftUI

  private enum StorageKey: EnvironmentKey {
    static let defaultValue: any HBStorageProtocol = MockStorage()
  }

  extension EnvironmentValues {
    /// The storage of the views below; in memory until the app sets one, so that previews write no
    /// file.
    ///
    /// ```swift
    /// ContentView().environment(\.hyperbasisStorage, storage)
    /// ```
    public var hyperbasisStorage: any HBStorageProtocol {
      get { self[StorageKey.self] }
      set { self[StorageKey.self] = newValue }
    }
  }
#endif
