/// Mode in which a store is opened.
public enum StoreMode: Hashable, Sendable {
  /// For reading and writing. A missing store and its directory are created.
  case createIfMissing
  /// For reading and writing. If there is no store, opening throws ``StorageError/notFound(path:)``.
  case mustExist
  /// For reading only. If there is no store, opening throws ``StorageError/notFound(path:)``. Nothing in the directory
  /// is created or changed, and every write throws ``StorageError/openedReadOnly(path:)``.
  case readOnly
}
