/// Rows prefetched by a unit of work, and keys known to be absent.
///
/// The cache stays valid because no other handle can save while the unit holds the write lock.
final class PrefetchCache {
  private struct Kind {
    /// Keys without a row. The first key of a hash represents all of its keys.
    var absent: Set<RowKey> = []
    var groups: [UInt64: [UnsafeRawPointer]] = [:]
  }

  private let found = Memtable()
  private var kinds: [UInt8: Kind] = [:]
  private(set) var pin: RowPin?

  var isEmpty: Bool { kinds.isEmpty }

  enum Answer {
    case unknown
    case absent
    case found(UnsafeRawPointer)
  }

  func record(kind: UInt8, key: RowKey) -> Answer {
    guard let known = kinds[kind] else { return .unknown }
    if let record = found.find(kind: kind, key: key) { return .found(record) }
    return known.absent.contains(key.isHash ? key.firstPlace : key) ? .absent : .unknown
  }

  /// Whether all keys of the hash are known to have no row. `hash` is the first of those keys.
  func isAbsent(kind: UInt8, hash: RowKey) -> Bool { kinds[kind]?.absent.contains(hash) ?? false }

  func records(kind: UInt8, group: UInt64) -> [UnsafeRawPointer]? { kinds[kind]?.groups[group] }

  /// Adds the result of a search. For a hash, `keys` contains the first key, which represents all of its keys.
  func know(kind: UInt8, keys: [RowKey], records: [UnsafeRawPointer], pin: RowPin) {
    keep(pin)
    var known = kinds.removeValue(forKey: kind) ?? Kind()
    known.absent.reserveCapacity(known.absent.count + max(0, keys.count - records.count))
    var taken: Set<RowKey> = []
    found.reserve(records.count)
    for record in records {
      found.apply(record)
      let key = RowLayout.key(record)
      if key.isHash { taken.insert(key.firstPlace) }
    }
    for key in keys {
      if key.isHash ? !taken.contains(key) : found.find(kind: kind, key: key) == nil { known.absent.insert(key) }
    }
    kinds[kind] = known
  }

  func know(kind: UInt8, groups: [UInt64], found: [[UnsafeRawPointer]], pin: RowPin) {
    keep(pin)
    var known = kinds.removeValue(forKey: kind) ?? Kind()
    known.groups.reserveCapacity(known.groups.count + groups.count)
    for (group, records) in zip(groups, found) { known.groups[group] = records }
    kinds[kind] = known
  }

  private func keep(_ new: RowPin) {
    guard let pin, pin !== new else { return self.pin = new }
    self.pin = RowPin(memories: [], others: [pin, new])
  }
}
