import Foundation
import Synchronization
public import TrendyPersistence

/// A hub's storage in plain files, with nothing to install: one store for the directory and one for each person.
///
/// The stores are opened when they are first needed and stay open. Another process may use the directory at the same
/// time (pairing a device while the hub runs); one hub at a time serves it, as two would each count their own life.
public final class EmbeddedHubStorage: HubStorage {
  let root: String
  let fileSystem: any FileSystem
  let options: StorageEngine.Options
  private let stores = Mutex<[String: EmbeddedStore]>([:])

  /// The directory is made, with what is above it, when something is first written.
  public init(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(),
    options: StorageEngine.Options = StorageEngine.Options()
  ) {
    root = directory
    self.fileSystem = fileSystem
    self.options = options
  }

  public func read<Result>(person: String, _ body: (any HubReading) throws -> Result) throws -> Result {
    try store("people/\(Self.folder(person))").read { try body(EmbeddedReading(records: $0, person: person)) }
  }

  public func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try store("people/\(Self.folder(person))").write { try body(EmbeddedTransaction(transaction: $0, person: person)) }
  }

  public func write(
    person: String, together bodies: [(any HubTransaction) throws -> Void]
  ) throws -> [(any Error)?] {
    try store("people/\(Self.folder(person))").write(
      bodies.map { body in { try body(EmbeddedTransaction(transaction: $0, person: person)) } })
  }

  public func erase(person: String) throws { try store("people/\(Self.folder(person))").erase(person: person) }

  public func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try store("directory").read { try body(EmbeddedDirectoryReading(records: $0)) }
  }

  public func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    try store("directory").write { try body(EmbeddedDirectoryTransaction(transaction: $0)) }
  }

  /// Takes the folder's lock, which the kernel frees whatever ends the process.
  public func occupy() throws -> (any Sendable)? {
    try Self.translating {
      try fileSystem.createDirectory(root)
      let file = try fileSystem.open("\(root)/hub.lock", .create)
      guard try file.tryLock() else {
        throw HubStorageError.occupied(
          "another hub serves \(root): stop it first, or give this one a folder of its own")
      }
      return file
    }
  }

  /// What a store's failure means to a hub.
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      switch error {
      case .diskFull: throw HubStorageError.full(error.description)
      case .busy: throw HubStorageError.busy(error.description)
      default: throw HubStorageError.failed(error.description)
      }
    } catch let error as FileSystemError {
      throw HubStorageError.failed(error.description)
    }
  }

  /// One step for each open store of what keeps it quick to open: `StorageEngine.maintain(sealingAll:)`.
  /// For when nobody waits; who reads or writes meanwhile is not kept waiting.
  ///
  /// - Returns: whether there may be more to do at once.
  public func maintain() throws -> Bool {
    var isMore = false
    for (_, store) in stores.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      if try store.maintain() { isMore = true }
    }
    return isMore
  }

  private func store(_ name: String) -> EmbeddedStore {
    stores.withLock { stores in
      if let store = stores[name] { return store }
      let store = EmbeddedStore(directory: "\(root)/\(name)", fileSystem: fileSystem, options: options)
      stores[name] = store
      return store
    }
  }

  /// Ids made here are folder names as they are; whatever else a person is called by becomes one by its hash.
  static func folder(_ person: String) -> String {
    let isPlain =
      (1...64).contains(person.utf8.count)
      && person.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
    return isPlain ? person : "_" + SHA256Digest.hexadecimal(of: person)
  }
}
