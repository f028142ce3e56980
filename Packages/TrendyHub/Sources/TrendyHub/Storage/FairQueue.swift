/// Work that waits, in a bounded queue for each owner; the owners take turns.
///
/// It runs nothing and waits for nothing: ``StorageThreads`` does what it hands out. An owner has one piece of work under way at
/// a time, so that whoever is slow holds up themselves alone.
struct FairQueue<Work> {
  /// How much may wait for one owner.
  let capacity: Int
  private var waiting: [String: [Work]] = [:]
  /// The owners with something to do and nothing under way, in the order of their turns.
  private var turns: [String] = []
  private var busy: Set<String> = []
  /// What waits, of all owners.
  private(set) var waitingCount = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Whether somebody's work can begin.
  var hasReady: Bool { !turns.isEmpty }

  func waitingCount(of owner: String) -> Int { waiting[owner]?.count ?? 0 }

  /// - Returns: whether there was room; always where it is not bounded.
  mutating func add(_ work: Work, of owner: String, isBounded: Bool = true) -> Bool {
    let count = waiting[owner]?.count ?? 0
    guard !isBounded || count < capacity else { return false }
    waiting[owner, default: []].append(work)
    waitingCount += 1
    if count == 0, !busy.contains(owner) { turns.append(owner) }
    return true
  }

  /// The oldest work of the owner whose turn it is, at most so many pieces; ``finish(_:)`` is called when it is done.
  mutating func take(atMost limit: Int) -> (owner: String, work: [Work])? {
    guard !turns.isEmpty else { return nil }
    let owner = turns.removeFirst()
    busy.insert(owner)
    var all = waiting[owner] ?? []
    let taken = Array(all.prefix(limit))
    all.removeFirst(taken.count)
    waitingCount -= taken.count
    waiting[owner] = all.isEmpty ? nil : all
    return (owner, taken)
  }

  /// The work that was taken is done; the owner goes to the end of the line if there is more.
  mutating func finish(_ owner: String) {
    guard busy.remove(owner) != nil else { preconditionFailure("no work of \(owner) was under way") }
    if waiting[owner] != nil { turns.append(owner) }
  }
}
