/// Why a change or delta cannot be applied.
package enum ApplyError: Error, Equatable {
  /// Changes between `known` and `next` are missing.
  case gap(replica: ReplicaID, known: UInt64, next: UInt64)
  case beyondVector(Dot)
  /// A state holds writes of `Limits.authors` replicas at most.
  case tooManyReplicas
}

extension ApplyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .gap(let replica, let known, let next):
      "change \(next) of \(replica) comes after \(known)"
    case .beyondVector(let dot):
      "a write of change \(dot.sequence) of \(dot.replica) is beyond the vector"
    case .tooManyReplicas: "it has writes of more than \(Limits.authors) replicas"
    }
  }
}
