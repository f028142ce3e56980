import TrendyFoundation
import TrendyModels
import TrendyPersistence

/// Undo history in local values. An entry is saved together with its changes or not at all.
///
/// Must be used within one unit of work. Changes require the write lock. Entries that were lost because the store was
/// damaged are skipped.
struct UndoLog {
  enum List {
    case done
    case undone
  }

  /// Maximum number of steps that can be undone.
  static let limit = 50
  /// Time in seconds for which deletions remain restorable beyond that limit, equal to the time for which a hub lists
  /// them.
  static let patience: TimeInterval = 90 * 86_400
  private static let partLength = 500
  private static let name = "undo"
  /// Upper bound for entry numbers. A larger number indicates damage.
  private static let maxEntries: Int64 = 1 << 24

  private let store: LocalStore
  /// Entries that can be undone, latest last, and entries that can be redone.
  private(set) var done: [Int64] = []
  private(set) var undone: [Int64] = []
  /// First entry that may exist. Entries in neither list contain only deletions.
  private var first: Int64
  private var next: Int64

  init(_ store: LocalStore) throws {
    self.store = store
    let head = try store.note(named: Self.name)?.objectValue ?? [:]
    func numbers(_ name: String) -> [Int64] { head[name]?.arrayValue?.compactMap(\.intValue) ?? [] }
    next = (head["next"]?.intValue ?? 1).clamped(to: 1...Self.maxEntries)
    let limit = next
    (done, undone) = (numbers("done").filter { $0 < limit }, numbers("undone").filter { $0 < limit })
    first = (head["first"]?.intValue ?? next).clamped(to: 0...next)
  }

  private func save() throws {
    func list(_ numbers: [Int64]) -> JSONValue { .array(numbers.map { .int($0) }) }
    let head: [String: JSONValue] = [
      "done": list(done), "undone": list(undone), "next": .int(next), "first": .int(first),
    ]
    try store.setNote(.object(head), named: Self.name)
  }

  // MARK: Entries

  var deletions: some Sequence<Int64> { (first..<next).reversed().lazy.filter { [undone] in !undone.contains($0) } }

  func numbers(_ list: List) -> [Int64] {
    switch list {
    case .done: done
    case .undone: undone
    }
  }

  func step(_ number: Int64) throws -> UndoStep? {
    guard let entry = try entry(number), let label = entry["label"]?.stringValue,
      let seconds = entry["date"]?.doubleValue
    else { return nil }
    return UndoStep(
      label: label, date: Date(timeIntervalSinceReferenceDate: seconds),
      importID: entry["import"]?.stringValue)
  }

  func isDivisible(_ number: Int64) throws -> Bool { try entry(number)?["divisible"]?.boolValue ?? false }

  func changes(_ number: Int64) throws -> [UndoChange] {
    try (0..<parts(number)).flatMap { part in
      try store.note(named: Self.name(number, part: part))?.arrayValue?.compactMap(UndoChange.init) ?? []
    }
  }

  /// Adds a step and returns its entry number. Undone steps can then no longer be redone. With `isDivisible`, undo may
  /// skip entities that have changed since. `changes` contains the changes that undo the step.
  mutating func append(_ step: UndoStep, isDivisible: Bool, _ changes: [UndoChange]) throws -> Int64 {
    for number in undone { try erase(number) }
    undone = []
    let number = try add(step, isDivisible: isDivisible, changes)
    done.append(number)
    try dropOldest()
    try forget(before: step.date.addingTimeInterval(-Self.patience))
    try save()
    return number
  }

  /// Adds changes to the last step. Returns `false` if the step was undone or is no longer the last.
  func extend(_ number: Int64, with changes: [UndoChange]) throws -> Bool {
    guard done.last == number, undone.isEmpty, var entry = try entry(number) else { return false }
    try write(changes, from: parts(number), to: number, &entry)
    return true
  }

  /// Moves an entry to the other list and replaces its changes with their reverse.
  mutating func move(
    _ number: Int64, to list: List, replacing changes: [UndoChange]
  ) throws {
    guard var entry = try entry(number) else { return }
    try erase(number)
    remove(number)
    try write(changes, from: 0, to: number, &entry)
    switch list {
    case .done: done.append(number)
    case .undone: undone.append(number)
    }
    try save()
  }

  /// Removes an entry from both lists, but keeps its deletions.
  mutating func drop(_ number: Int64) throws {
    try reduce(number)
    remove(number)
    try save()
  }

  mutating func drop(importID: String) throws {
    for number in done where try step(number)?.importID == importID { try drop(number) }
  }

  /// In all entries, replaces the old ids of entities that were recreated under new ids.
  func rename(_ names: [String: String]) throws {
    guard !names.isEmpty else { return }
    for number in first..<next {
      guard var entry = try entry(number) else { continue }
      var changes = try changes(number)
      for index in changes.indices { changes[index].rename(names) }
      try write(changes, from: 0, to: number, &entry)
    }
  }
}

extension UndoLog {
  private func entry(_ number: Int64) throws -> [String: JSONValue]? {
    try store.note(named: Self.name(number))?.objectValue
  }

  private func parts(_ number: Int64) throws -> Int {
    Int((try entry(number)?["parts"]?.intValue ?? 0).clamped(to: 0...1 << 20))
  }

  private mutating func add(_ step: UndoStep, isDivisible: Bool, _ changes: [UndoChange]) throws -> Int64 {
    let number = next
    next += 1
    var entry: [String: JSONValue] = [
      "label": .string(step.label), "date": .double(step.date.timeIntervalSinceReferenceDate),
    ]
    if isDivisible { entry["divisible"] = .bool(true) }
    if let id = step.importID { entry["import"] = .string(id) }
    try write(changes, from: 0, to: number, &entry)
    return number
  }

  private func write(
    _ changes: [UndoChange], from first: Int, to number: Int64, _ entry: inout [String: JSONValue]
  ) throws {
    var part = first
    var rest = changes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.partLength)
      try store.setNote(.array(piece.map(\.value)), named: Self.name(number, part: part))
      rest = rest.dropFirst(piece.count)
      part += 1
    }
    entry["parts"] = .int(Int64(part))
    try store.setNote(.object(entry), named: Self.name(number))
  }

  private func erase(_ number: Int64) throws {
    for part in 0..<(try parts(number)) { try store.setNote(nil, named: Self.name(number, part: part)) }
    try store.setNote(nil, named: Self.name(number))
  }

  private mutating func dropOldest() throws {
    while done.count > Self.limit { try reduce(done.removeFirst()) }
  }

  /// Reduces an entry to its deletions of entities that the hub does not have.
  private func reduce(_ number: Int64) throws {
    let unheard = try changes(number).filter { change in
      guard case .bringBack = change.turn, try AnyEntity.held(change.kind, id: change.id, in: store) == nil else {
        return false
      }
      return try store.heldEntry(kind: change.kind, id: change.id) == nil
    }
    let entry = try entry(number)
    try erase(number)
    if var entry, !unheard.isEmpty { try write(unheard, from: 0, to: number, &entry) }
  }

  private mutating func forget(before date: Date) throws {
    while first < next, !done.contains(first), !undone.contains(first) {
      if let step = try step(first), step.date >= date { return }
      try erase(first)
      first += 1
    }
  }

  private mutating func remove(_ number: Int64) {
    done.removeAll { $0 == number }
    undone.removeAll { $0 == number }
  }

  private static func name(_ number: Int64) -> String { "\(name) \(number)" }
  private static func name(_ number: Int64, part: Int) -> String { "\(name) \(number).\(part)" }
}
