/// Bounded queues of pending work, one for each owner, served in turns.
///
/// The queue runs nothing itself; ``StorageThreads`` does. One item of an owner runs at a time, so that a slow owner
/// delays only its own work.
struct FairQueue<Work> {
  /// Maximum number of pending items of one owner.
  let capacity: Int
  private var waiting: [String: [Work]] = [:]
  /// Owners that have pending work and none running, in the order of their turns.
  private var turns: [String] = []
  private var busy: Set<String> = []
  /// Number of pending items of all owners.
  private(set) var waitingCount = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Whether an owner has work that can start.
  var hasReady: Bool { !turns.isEmpty }

  func waitingCount(of owner: String) -> Int { waiting[owner]?.count ?? 0 }

  /// Adds work at the end of the owner's queue.
  ///
  /// - Returns: Whether it was added; always true if `isBounded` is false.
  mutating func add(_ work: Work, of owner: String, isBounded: Bool = true) -> Bool {
    let count = waiting[owner]?.count ?? 0
    guard !isBounded || count < capacity else { return false }
    waiting[owner, default: []].append(work)
    waitingCount += 1
    if count == 0, !busy.contains(owner) { turns.append(owner) }
    return true
  }

  /// Removes up to `limit` items of the owner whose turn it is, oldest first. The caller calls ``finish(_:)`` after
  /// running them.
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

  /// Ends the owner's turn; if it has more work, it moves to the end of the order.
  mutating func finish(_ owner: String) {
    guard busy.remove(owner) != nil else { preconditionFailure("no work of \(owner) is in progress") }
    if waiting[owner] != nil { turns.append(owner) }
  }
}
