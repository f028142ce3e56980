/// Saved records that a unit of work has looked for before it needs them, many at once, and those that it knows not to be there.
///
/// Nobody else saves while the unit has the write lock, so what was found stays so.
final class LookAhead {
  private struct Kind {
    var found: [RecordKey: UnsafeRawPointer] = [:]
    /// Of hashes the first place, where all are free.
    var absent: Set<RecordKey> = []
    var groups: [UInt64: [UnsafeRawPointer]] = [:]
  }

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
    if let record = known.found[key] { return .found(record) }
    return known.absent.contains(key.isHash ? key.firstPlace : key) ? .absent : .unknown
  }

  /// `nil` where it was not looked for.
  func records(kind: UInt8, group: UInt64) -> [UnsafeRawPointer]? { kinds[kind]?.groups[group] }

  /// - Parameter keys: of a hash its first place, for all that its texts may have.
  func know(kind: UInt8, keys: [RecordKey], found: [RecordKey: UnsafeRawPointer], pin: RecordPin) {
    keep(pin)
    let taken = Set(found.keys.lazy.filter(\.isHash).map(\.firstPlace))
    var known = kinds.removeValue(forKey: kind) ?? Kind()
    known.found.merge(found) { $1 }
    for key in keys {
      if key.isHash ? !taken.contains(key) : found[key] == nil { known.absent.insert(key) }
    }
    kinds[kind] = known
  }

  func know(kind: UInt8, groups: [UInt64], found: [[UnsafeRawPointer]], pin: RecordPin) {
    keep(pin)
    var known = kinds.removeValue(forKey: kind) ?? Kind()
    for (group, records) in zip(groups, found) { known.groups[group] = records }
    kinds[kind] = known
  }

  private func keep(_ new: RecordPin) {
    guard let pin, pin !== new else { return self.pin = new }
    self.pin = RecordPin(memories: [], others: [pin, new])
  }
}
