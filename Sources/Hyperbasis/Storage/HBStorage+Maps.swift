import Foundation
import HyperbasisCore

extension HBStorage {
  func storeMap(of space: HBSpace) async throws(HBStorageError) -> MapReference? {
    nil
  }
}
