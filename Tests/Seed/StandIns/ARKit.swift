// In the place of ARKit, for the gate `.ci/seed`.

import Foundation
import Hyperbasis

public final class ARWorldMap: NSObject, NSSecureCoding {
  public static let supportsSecureCoding = true
  public let points: Int

  public init(points: Int) {
    self.points = points
  }

  public init?(coder: NSCoder) {
    points = coder.decodeInteger(forKey: "points")
  }

  public func encode(with coder: NSCoder) {
    coder.encode(points, forKey: "points")
  }
}

extension HBSpace {
  /// As the package has it where there is ARKit.
  public func arWorldMap() throws -> ARWorldMap {
    try worldMap(as: ARWorldMap.self)
  }
}
