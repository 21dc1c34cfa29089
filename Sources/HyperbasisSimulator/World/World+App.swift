import HyperbasisCore
import HyperbasisSync

/// What an app does with a simulated space, and what must hold there.
struct AppRules {
  /// What a peer shows of a space, and who it is.
  struct View {
    let state: SpaceState
    let replica: ReplicaID
    /// Milliseconds since 1970, as its clock shows.
    let wall: UInt64
  }

  /// The writes of a step, and those of its actions that were not refused.
  struct Edit {
    let operations: [Operation]
    let actions: [Step.Action]
  }

  /// What is wrong, and with what.
  struct Fault {
    let text: String
    let shown: String
  }

  /// What a step does at a peer; fails with what cannot be saved.
  let edit: (Step, View) throws(SpaceEditor.Unsavable) -> Edit
  /// What is wrong with what a peer shows.
  let fault: (View) -> Fault?
  /// What is wrong in the end, after the actions that were acknowledged, in order.
  let faultAtEnd: (View, [Step.Action]) -> Fault?
}

/// A change of an app, by which the actions that made it are found.
struct AppChange: Hashable {
  let space: SpaceID
  let dot: Dot
}

/// What a world does for the app that it runs: the app's steps are performed, and its rules are checked.
extension World {
  /// The checkers' names under which the app's rules fail.
  enum AppChecker {
    static let unsavable = "unsavable"
    static let always = "app, at any time"
    static let atEnd = "app, in the end"
  }

  func perform(_ step: Step, of app: AppRules, at node: Node, _ state: SpaceState, _ time: Now) {
    do {
      let edit = try app.edit(step, view(of: state, at: node))
      self.edit(state.id, edit.operations, of: edit.actions, at: node, time)
    } catch {
      fail(AppChecker.unsavable, at: node, error.text)
    }
  }

  /// What must hold of what a peer shows, whenever that has changed.
  func checkApp(_ node: Node) {
    guard let app, failure == nil else { return }
    for state in node.states {
      note(app.fault(view(of: state, at: node)), AppChecker.always, at: node)
    }
  }

  /// What must hold in the end: each peer has all that was acknowledged and is not lost with a disk.
  func checkAppAtEnd() {
    guard let app, failure == nil else { return }
    for node in nodes {
      for state in node.states {
        let fault = app.faultAtEnd(view(of: state, at: node), acknowledged(in: state))
        note(fault, AppChecker.atEnd, at: node)
      }
    }
  }

  /// The actions whose writes became durable and are in a state, in the order in which they did.
  func acknowledged(in state: SpaceState) -> [Step.Action] {
    let coverage = Coverage(state.vector)
    return model.entries.flatMap { entry in
      let dot = entry.change.dot
      let isHere = entry.space == state.id && coverage.covers(dot.replica.bits, dot.sequence)
      return isHere ? appActions[AppChange(space: state.id, dot: dot)] ?? [] : []
    }
  }

  private func view(of state: SpaceState, at node: Node) -> AppRules.View {
    AppRules.View(state: state, replica: node.replica, wall: time(at: node).wall)
  }

  private func note(_ fault: AppRules.Fault?, _ checker: String, at node: Node) {
    guard let fault, failure == nil else { return }
    appShows = fault.shown
    fail(checker, at: node, fault.text)
  }
}
