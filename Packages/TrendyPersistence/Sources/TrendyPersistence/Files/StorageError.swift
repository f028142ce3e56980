/// Errors thrown by a store. A failed operation never affects earlier saves.
public enum StorageError: Error, Hashable, CustomStringConvertible {
  /// Bytes before the torn tail were changed, by the disk or by another program. `offset` is in bytes.
  case damaged(path: String, offset: Int)
  /// The files have a format version that this program does not support.
  case newerVersion(path: String, found: Int, supported: Int)
  /// The disk or the quota is full. The change was not saved; the store remains usable.
  case diskFull(path: String)
  /// The user is not permitted to read or write the path.
  case permissionDenied(path: String)
  /// The disk is mounted read-only.
  case readOnly(path: String)
  /// The store was opened with ``StoreMode/readOnly``.
  case openedReadOnly(path: String)
  /// The directory contains no store, or does not exist.
  case notFound(path: String)
  /// A file of the store is missing, or was removed while it was open.
  case missing(path: String)
  /// The path, or part of it, is not a directory.
  case notAFolder(path: String)
  /// Another unit of work in this or another process held the write lock for too long.
  case busy(path: String)
  /// The system failed to make written data durable. The store must be reopened.
  case syncFailed(path: String, code: Int32)
  /// A save exceeds the maximum length. Both lengths are in bytes.
  case tooLarge(bytes: Int, limit: Int)
  /// An identifier is empty or longer than 128 bytes.
  case invalidIdentifier(String)
  /// An intact row has content that this version cannot read.
  case unreadableRow(kind: UInt8, key: RowKey)
  /// A restore replaced the store while it was open. Open it again.
  case replaced(path: String)
  /// The file or store to create already exists.
  case exists(path: String)
  /// The caller cancelled the operation; nothing was changed.
  case cancelled(path: String)
  /// The file is not a complete backup: it is truncated, altered, or from another program. `offset` is in bytes.
  case notABackup(path: String, offset: Int, reason: String)
  /// A signature was required, but the backup is unsigned or signed with another key.
  case wrongSignature(path: String, isSigned: Bool)
  /// Any other file system error.
  case failed(FileSystemError)

  /// Cause, effect and suggested action in one line.
  public var description: String {
    switch self {
    case .damaged(let path, let offset):
      "\(path) is damaged at byte \(offset): run 'trendy doctor --repair' to recover all intact rows"
    case .newerVersion(let path, let found, let supported):
      "\(path) has format version \(found), but this program supports version \(supported): nothing was changed; install the version that wrote it"
    case .diskFull(let path):
      "no space left for \(path): this change was not saved, earlier data is intact; free some space and try again"
    case .permissionDenied(let path):
      "no permission to access \(path): nothing was changed; grant this user read and write access, or choose another folder"
    case .readOnly(let path):
      "\(path) is on a disk that is mounted read-only: nothing was changed; mount it for writing, or choose another folder"
    case .openedReadOnly(let path):
      "\(path) is open for reading only: nothing was changed; open the store with mode .mustExist to write"
    case .notFound(let path):
      "\(path) contains no store: nothing was created; check the path"
    case .missing(let path):
      "\(path) does not exist, or was removed while it was open: nothing was saved; put it back or choose another folder, then open the store again"
    case .notAFolder(let path):
      "\(path) is not a folder: nothing was changed; choose another path for the store"
    case .busy(let path):
      "another save has locked \(path): nothing was changed; try again, or stop the program that holds the lock"
    case .syncFailed(let path, let code):
      "the disk did not confirm a write to \(path) (\(SystemErrorText.text(for: code))): the last change may or may not be saved; check the disk, then open the store again"
    case .tooLarge(let bytes, let limit):
      "a save of \(bytes) bytes exceeds the limit of \(limit) bytes: nothing was saved; save in smaller batches"
    case .invalidIdentifier(let identifier):
      "invalid identifier \"\(identifier)\": it must have 1 to 128 bytes; nothing was changed"
    case .unreadableRow(let kind, let key):
      "this version cannot read row \(key) of kind \(kind): nothing was changed; install a newer version or run 'trendy doctor'"
    case .replaced(let path):
      "the store in \(path) was replaced by a restore while it was open: this change was not saved; try again"
    case .exists(let path):
      "\(path) already exists: nothing was changed; choose another name, or confirm that it may be replaced"
    case .cancelled(let path):
      "the operation on \(path) was cancelled: nothing was changed; start it again to complete it"
    case .notABackup(let path, let offset, let reason):
      "\(path) is not a valid backup (\(reason) at byte \(offset)): nothing was changed; use another copy of it, or an earlier backup"
    case .wrongSignature(let path, let isSigned):
      "\(path) is \(isSigned ? "signed with another key, or was changed after signing" : "not signed"): nothing was changed; use a backup that was signed with this key"
    case .failed(let error):
      "\(error): the change was not confirmed; fix the cause and try again"
    }
  }
}
