import Foundation
import HyperbasisCore
import HyperbasisStore

extension HBStorage {
  // MARK: Data management

  /// Forgets all spaces on this device, and who this store was; other devices keep theirs.
  ///
  /// The spaces that were held stay away until ``joinSpace(id:)`` or a save of one. Links end for a
  /// moment. It blocks its thread until the disk is done.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the disk refuses; nothing is cleared then.
  public func clearLocalStorage() throws {
    let peer = try peer()
    let failure: HBStorageError?
    do throws(PeerError) {
      let wasOn = try peer.stopNetworkAndWait()
      failure = try peer.wait(whenRefused: .stands) { loop throws(PeerError) in
        do throws(HBStorageError) { try loop.clear() } catch { return error }
        return nil
      }
      if wasOn && core.wantsNetwork { _ = try peer.startAndWait() }
    } catch {
      throw HBStorageError(error)
    }
    if let failure { throw failure }
  }

  /// Bytes of the files in the storage's directory; 0 before it was opened for the first time.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be read.
  public func localStorageSize() throws -> Int {
    try config.checkDirectory()
    guard !core.isInMemory else { return try bytesInMemory() }
    let files = FileManager.default
    guard files.fileExists(atPath: directory.path) else { return 0 }
    do {
      return try files.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: [.fileSizeKey]
      ).reduce(0) { sum, file in
        // A file that went away meanwhile counts nothing.
        sum + ((try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
      }
    } catch {
      let failure = HBStoreFailure.failed(path: directory.path, reason: text(of: error))
      throw HBStorageError.fileOperationFailed(underlying: failure)
    }
  }

  private func bytesInMemory() throws(HBStorageError) -> Int {
    let peer = try peer()
    do throws(PeerError) {
      return try peer.look { loop throws(PeerError) in
        do throws(StoreError) { return Int(try loop.store.byteCount()) } catch {
          throw PeerError(error)
        }
      }
    } catch {
      throw HBStorageError(error)
    }
  }
}
