#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels
import TrendyPersistence

/// The history, in a file beside the store; what changed much lies in files of their own, so that no later step waits for it.
///
/// A step is written before it is carried out. One that did not come so far is told by the entities being as they were before,
/// and passed over; so a power cut that takes the last of them from the file costs an undo, and nothing waits for the disk.
struct UndoLog {
  /// Bytes of the file, unless one step alone has more.
  static let largest = 262_144
  /// Changes of a step that lie in the file of all.
  private static let mostInline = 50

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

  /// - Parameter before: as it was loaded: files that no step names any more go.
  func save(_ history: UndoHistory, before: UndoHistory) throws {
    var history = history
    history.done = Array(history.done.suffix(UndoHistory.limit))
    for steps in [\UndoHistory.done, \.undone] {
      for index in history[keyPath: steps].indices { try putAside(&history[keyPath: steps][index]) }
    }
    var text = try WireJSON.encode(history)
    // It is read and written with all that a person does.
    while text.count > Self.largest, history.done.count > 1 {
      history.done.removeFirst((history.done.count + 1) / 2)
      text = try WireJSON.encode(history)
    }
    try OwnerOnlyFile.replace(url, with: text, isDurable: false)
    // One that stays takes room and does nothing.
    for file in before.files.subtracting(history.files) { unlink(location(of: file).path) }
  }

  // MARK: Steps that changed much

  /// The step with all its changes.
  func whole(_ step: UndoStep) throws -> UndoStep {
    guard let file = step.file else { return step }
    var step = step
    do {
      let value = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: location(of: file)))
      step.changes = (value.arrayValue ?? []).compactMap(UndoStep.Change.init)
    } catch {
      throw UndoError.unreadable(path: location(of: file).path)
    }
    step.file = nil
    return step
  }

  private func putAside(_ step: inout UndoStep) throws {
    guard step.changes.count > Self.mostInline else { return }
    let file = "undo-\(UUID().uuidString.lowercased()).json"
    let changes = JSONValue.array(step.changes.map(\.value))
    try OwnerOnlyFile.replace(location(of: file), with: WireJSON.encode(changes), isDurable: false)
    step.changes = []
    step.file = file
  }

  /// Gives entities that came back under other ids their new ones, wherever a step knows them.
  func rename(_ names: [String: String], in history: inout UndoHistory) throws {
    guard !names.isEmpty else { return }
    for steps in [\UndoHistory.done, \.undone] {
      for index in history[keyPath: steps].indices {
        var step = try whole(history[keyPath: steps][index])
        step.rename(names)
        history[keyPath: steps][index] = step
      }
    }
  }

  private func location(of file: String) -> URL { url.deletingLastPathComponent().appending(path: file) }
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
