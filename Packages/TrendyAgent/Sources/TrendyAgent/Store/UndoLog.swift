#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels
import TrendyPersistence

/// One thing that a person did, and what it changed, so that it can be taken back and done again.
public struct UndoStep: Hashable, Sendable, Codable {
  /// An entity before and after: the fields that make it, or nothing.
  public struct Change: Hashable, Sendable, Codable {
    public var kind: MutationEntityType
    public internal(set) var id: String
    public var before: JSONValue?
    public var after: JSONValue?
  }

  /// What was done, in the words of the command: `split trip 0199f3c2`.
  public var label: String
  public var date: Date
  public var changes: [Change]
}

/// The last things that were done, and those of them that were taken back, the latest last.
public struct UndoHistory: Hashable, Sendable, Codable {
  static let limit = 50

  public internal(set) var done: [UndoStep] = []
  /// What can be done again: the last of them was taken back last. Doing anything else empties it.
  public internal(set) var undone: [UndoStep] = []

  init() {}

  private enum Key: CodingKey {
    case done
    case undone
  }

  /// Reads the list of steps that earlier versions wrote as well.
  public init(from decoder: any Decoder) throws {
    if let steps = try? [UndoStep](from: decoder) {
      done = steps
      return
    }
    let members = try decoder.container(keyedBy: Key.self)
    done = try members.decode([UndoStep].self, forKey: .done)
    undone = try members.decode([UndoStep].self, forKey: .undone)
  }

  mutating func rename(_ old: String, to new: String) {
    func rename(in steps: inout [UndoStep]) {
      for step in steps.indices {
        for index in steps[step].changes.indices where steps[step].changes[index].id == old {
          steps[step].changes[index].id = new
        }
        for index in steps[step].changes.indices {
          steps[step].changes[index].before?.rename(old, to: new)
          steps[step].changes[index].after?.rename(old, to: new)
        }
      }
    }
    rename(in: &done)
    rename(in: &undone)
  }
}

extension JSONValue {
  /// Of an entity that refers to what has another id now.
  mutating func rename(_ old: String, to new: String) {
    guard case .object(let members) = self else { return }
    self = .object(members.mapValues { $0.stringValue == old ? .string(new) : $0 })
  }
}

/// The history, in a file beside the store.
///
/// A step is written before it is carried out. One that did not come so far is told by the entities being as they were before,
/// and passed over; so a power cut that takes the last of them from the file costs an undo, and nothing waits for the disk.
struct UndoLog {
  /// Bytes of the file, unless one step alone has more.
  static let largest = 262_144

  private let url: URL

  init(storeDirectory: URL) { url = storeDirectory.appending(path: "undo.json") }

  /// Runs `body` while no other process does: of two things done at once both are in the log, and one is taken back once.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    let path = url.deletingLastPathComponent().appending(path: "undo.lock").path
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StorageError(FileSystemError(operation: .open, path: path, code: errno)) }
    // Freed by the kernel, whatever ends the process.
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw StorageError(FileSystemError(operation: .lock, path: path, code: errno)) }
    }
    return try body()
  }

  func load() throws -> UndoHistory {
    guard FileManager.default.fileExists(atPath: url.path) else { return UndoHistory() }
    do {
      return try WireJSON.decode(UndoHistory.self, from: Data(contentsOf: url))
    } catch {
      throw UndoError.unreadable(path: url.path)
    }
  }

  func save(_ history: UndoHistory) throws {
    var history = history
    history.done = Array(history.done.suffix(UndoHistory.limit))
    var text = try WireJSON.encode(history)
    // It is read and written with all that a person does.
    while text.count > Self.largest, history.done.count > 1 {
      history.done.removeFirst((history.done.count + 1) / 2)
      text = try WireJSON.encode(history)
    }
    try OwnerOnlyFile.replace(url, with: text, isDurable: false)
  }
}

/// Why something cannot be taken back, or done again.
public enum UndoError: Error, Hashable, CustomStringConvertible {
  case nothing
  case nothingUndone
  case changedSince(label: String)
  /// Events of a type that it made were recorded since.
  case inUse(label: String)
  /// The file that says what was done is damaged, or this user may not read it.
  case unreadable(path: String)

  public var description: String {
    switch self {
    case .nothing: "There is nothing to take back."
    case .nothingUndone: "There is nothing to do again."
    case .unreadable(let path): "\(path), which says what can be taken back, cannot be read."
    case .changedSince(let label): "'\(label)' stays as it is: what it changed was changed again since."
    case .inUse(let label): "'\(label)' stays as it is: events of that type were recorded since."
    }
  }
}
