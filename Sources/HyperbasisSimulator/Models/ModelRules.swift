import HyperbasisCore

/// A model as the world takes it: actions of steps are its operations.
struct ModelRules<Model: SimulatedModel> {
  let model: Model
  private let editor = SpaceEditor()

  init(_ model: Model) {
    self.model = model
  }

  /// Whether the model can be made again from its type alone.
  var isSpelt: Bool {
    let mirror = Mirror(reflecting: model)
    return mirror.displayStyle == .struct && mirror.children.isEmpty
  }

  /// The model as a test would spell it.
  var expression: String { isSpelt ? "\(Model.self)()" : "model" }

  var app: AppRules {
    AppRules(
      edit: { (step, view) throws(SpaceEditor.Unsavable) in try edit(step, view) },
      fault: { view in fault(view) { model.fault(in: $0) } },
      faultAtEnd: { view, actions in
        let performed = actions.map(operation)
        return fault(view) { model.faultAtEnd(in: $0, after: performed) }
      })
  }

  /// The operation of an action: drawn from its own bytes, so that it is the same whatever else there is.
  func operation(_ action: Step.Action) -> Model.Operation {
    let parts = [
      UInt64(action.value), UInt64(action.key), UInt64(truncatingIfNeeded: action.anchor),
      UInt64(action.kind.rawValue),
    ]
    let seed = parts[0] | parts[1] << 8 | parts[2] << 16 | parts[3] << 32
    var random = RandomSource(seed: seed ^ 0x6d6f_6465_6c73_2121)
    return model.draw(from: &random)
  }

  /// Of the first action whose operation is not the same when it is drawn again, both; nil when all are.
  func firstDrawnOtherwise(in plan: SimulationCase) -> (String, String)? {
    for action in plan.steps.lazy.flatMap(\.actions) {
      let (first, second) = (operation(action), operation(action))
      if !isSame(first, second) { return (String(describing: first), String(describing: second)) }
    }
    return nil
  }

  /// By `==` where there is one: the elements of equal sets are printed in any order. Otherwise by what
  /// is printed, in whatever order.
  private func isSame(_ first: Model.Operation, _ second: Model.Operation) -> Bool {
    func isEqual<Value: Equatable>(_ first: Value) -> Bool? {
      guard first == first, let second = second as? Value else { return nil }
      return first == second
    }
    if let first = first as? any Equatable, let answer = isEqual(first) { return answer }
    let (left, right) = (String(describing: first), String(describing: second))
    return left == right || left.unicodeScalars.sorted() == right.unicodeScalars.sorted()
  }

  /// What a step writes. Of several actions that are too much for one change the first ones are done.
  private func edit(
    _ step: Step, _ view: AppRules.View
  ) throws(SpaceEditor.Unsavable) -> AppRules.Edit {
    let before = space(view)
    var after = before
    var actions: [Step.Action] = []
    for action in step.actions {
      var changed = after
      do { try model.perform(operation(action), on: &changed) } catch { continue }
      guard !after.hasSameAnchors(as: changed) else { continue }
      after = changed
      actions.append(action)
    }
    let operations: [Operation]
    do { operations = try editor.operations(from: before, to: after, on: view.state) } catch {
      after.takeApart()
      throw error
    }
    do { _ = try Change.checkedLength(of: operations) } catch {
      guard step.actions.count > 1 else { throw SpaceEditor.Unsavable(text: "\(error)") }
      // The world has put them together, not the app: as many as fit are one transaction.
      var fewer = step
      fewer.actions.removeLast(step.actions.count / 2)
      return try edit(fewer, view)
    }
    return AppRules.Edit(operations: operations, actions: actions)
  }

  private func fault(
    _ view: AppRules.View, _ rule: (SimulatedSpace) -> String?
  ) -> AppRules.Fault? {
    let space = space(view)
    return rule(space).map { AppRules.Fault(text: $0, shown: "\(space)") }
  }

  private func space(_ view: AppRules.View) -> SimulatedSpace {
    editor.space(view.state, of: view.replica, wall: view.wall)
  }
}
