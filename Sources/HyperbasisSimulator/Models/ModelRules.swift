import HyperbasisCore

/// A model as the world takes it: actions of steps are its operations.
struct ModelRules<Model: SimulatedModel> {
  let model: Model
  private let editor = SpaceEditor()

  init(_ model: Model) {
    self.model = model
  }

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
    let operations = try editor.operations(from: before, to: after, on: view.state)
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
