import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels

/// What versions before the store had notes kept of undo: `undo.json` beside it, with large steps in files of their own. It is taken
/// into the store once, and removed.
struct EarlierUndoFile {
  struct Entry {
    var step: UndoStep
    var isDivisible: Bool
    var changes: [UndoChange]
  }

  struct Content {
    var done: [Entry] = []
    var undone: [Entry] = []
  }

  private struct Step: Codable {
    struct Change: Codable {
      var kind: MutationEntityType
      var id: String
      var before: JSONValue?
      var after: JSONValue?
    }

    var label: String
    var date: Date
    var changes: [Change]
    /// The name of the file in which they lie.
    var file: String?
    var isDivisible: Bool?
  }

  private struct History: Codable {
    var done: [Step]
    var undone: [Step]
  }

  private let folder: URL
  private let url: URL

  init(storeDirectory: URL) {
    folder = storeDirectory
    url = storeDirectory.appending(path: "undo.json")
  }

  var path: String { url.path }
  var exists: Bool { access(url.path, F_OK) == 0 }

  /// - Throws: ``UndoError/unreadable(path:)``.
  func content() throws(UndoError) -> Content {
    do {
      let data = try Data(contentsOf: url)
      // The first version wrote a list.
      let history =
        try (try? WireJSON.decode([Step].self, from: data)).map { History(done: $0, undone: []) }
        ?? WireJSON.decode(History.self, from: data)
      return Content(
        done: try history.done.map { try entry($0, isDone: true) },
        undone: try history.undone.map { try entry($0, isDone: false) })
    } catch {
      throw .unreadable(path: url.path)
    }
  }

  /// The files of steps go first: without them the list says that it cannot be read, and without the list nobody finds them.
  func remove() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []  // then they only take room
    for name in names where name.hasPrefix("undo-") && name.hasSuffix(".json") || name == "undo.lock" {
      unlink(folder.appending(path: name).path)
    }
    unlink(url.path)
  }

  private func entry(_ step: Step, isDone: Bool) throws -> Entry {
    var changes = step.changes
    if let file = step.file {
      // A name from a file must not lead out of the store's folder.
      guard file.hasPrefix("undo-"), !file.contains("/") else { throw UndoError.unreadable(path: url.path) }
      changes = try WireJSON.decode([Step.Change].self, from: Data(contentsOf: folder.appending(path: file)))
    }
    return Entry(
      step: UndoStep(label: step.label, date: step.date), isDivisible: step.isDivisible ?? false,
      changes: changes.compactMap { change in
        let (present, target) = isDone ? (change.after, change.before) : (change.before, change.after)
        return UndoChange(kind: change.kind, id: change.id, from: present, to: target)
      })
  }
}
