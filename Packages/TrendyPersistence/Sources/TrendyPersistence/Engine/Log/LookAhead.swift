/// Saved records that a unit of work has looked for before it needs them, many at once, and those that it knows not to be there.
///
/// Nobody else saves while the unit has the write lock, so what was found stays so.
final class LookAhead {
  private struct Kind {
    /// Of hashes the first place, where all are free.
    var absent: Set<RecordKey> = []
    var groups: [UInt64: [UnsafeRawPointer]] = [:]
  }

  /// Of all kinds, by name.
  private let found = Memtable()
  private var kinds: [UInt8: Kind] = [:]
  /// Of what was found, and of all that was found before.
  private(set) var pin: RecordPin?

  var isEmpty: Bool { kinds.isEmpty }

  enum Answer {
    case unknown
    case absent
    case found(UnsafeRawPointer)
  }

  func record(kind: UInt8, key: RecordKey) -> Answer {
    guard let known = kinds[kind] else { return .unknown }
    if let record = found.find(kind: kind, key: key) { return .found(record) }
    return known.absent.contains(key.isHash ? key.firstPlace : key) ? .absent : .unknown
  }

  /// Whether it is known that no record has a key of a hash.
  /// - Parameter hash: its first place.
  func isAbsent(kind: UInt8, hash: RecordKey) -> Bool { kinds[kind]?.absent.contains(hash) ?? false }

  /// `nil` where it was not looked for.
  func records(kind: UInt8, group: UInt64) -> [UnsafeRawPointer]? { kinds[kind]?.groups[group] }

  /// - Parameters:
  ///   - kind: of the records.
  ///   - keys: what was looked for: of a hash its first place, for all that its texts may have.
  ///   - records: those that there are.
  ///   - pin: of their memory.
  func know(kind: UInt8, keys: [RecordKey], records: [UnsafeRawPointer], pin: RecordPin) {
    keep(pin)
    var known = kinds.removeValue(forKey: kind) ?? Kind()
    known.absent.reserveCapacity(known.absent.count + max(0, keys.count - records.count))
    var taken: Set<RecordKey> = []
    found.reserve(records.count)
    for record in records {
      found.apply(record)
      let key = RecordLayout.key(record)
      if key.isHash { taken.insert(key.firstPlace) }
    }
    for key in keys {
      if key.isHash ? !taken.contains(key) : found.find(kind: kind, key: key) == nil { known.absent.insert(key) }
    }
    kinds[kind] = known
  }

  func know(kind: UInt8, groups: [UInt64], found: [[UnsafeRawPointer]], pin: RecordPin) {
    keep(pin)
    var known = kinds.removeValue(forKey: kind) ?? Kind()
    known.groups.reserveCapacity(known.groups.count + groups.count)
    for (group, records) in zip(groups, found) { known.groups[group] = records }
    kinds[kind] = known
  }

  private func keep(_ new: RecordPin) {
    guard let pin, pin !== new else { return self.pin = new }
    self.pin = RecordPin(memories: [], others: [pin, new])
  }
}
