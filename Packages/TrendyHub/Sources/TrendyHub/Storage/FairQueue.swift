/// Bounded queues of pending work, one per owner, served round-robin.
///
/// The queue itself runs nothing; ``StorageThreads`` runs the work. An owner's items run one at a time, so a slow owner
/// delays only its own work.
struct FairQueue<Work> {
  let capacity: Int
  private var waiting: [String: [Work]] = [:]
  /// Owners with pending but no running work, in the order of their turns.
  private var turns: [String] = []
  private var busy: Set<String> = []
  private(set) var waitingCount = 0

  init(capacity: Int) { self.capacity = capacity }

  var hasReady: Bool { !turns.isEmpty }

  func waitingCount(of owner: String) -> Int { waiting[owner]?.count ?? 0 }

  /// Appends work to the owner's queue.
  ///
  /// - Returns: Whether the work was added, which is always the case if `isBounded` is `false`.
  mutating func add(_ work: Work, of owner: String, isBounded: Bool = true) -> Bool {
    let count = waiting[owner]?.count ?? 0
    guard !isBounded || count < capacity else { return false }
    waiting[owner, default: []].append(work)
    waitingCount += 1
    if count == 0, !busy.contains(owner) { turns.append(owner) }
    return true
  }

  /// Removes up to `limit` items from the next owner's queue, oldest first.
  ///
  /// The caller must call ``finish(_:)`` after running them.
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

  /// Ends the owner's turn. An owner with more work moves to the end of the line.
  mutating func finish(_ owner: String) {
    guard busy.remove(owner) != nil else { preconditionFailure("no work of \(owner) is in progress") }
    if waiting[owner] != nil { turns.append(owner) }
  }
}
