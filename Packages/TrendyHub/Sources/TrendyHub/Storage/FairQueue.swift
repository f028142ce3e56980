/// Bounded queues of pending work, one for each owner, served round-robin.
///
/// The queue itself runs nothing; ``StorageThreads`` does. Only one item of an owner runs at a time, so that a slow
/// owner delays only its own work.
struct FairQueue<Work> {
  /// Maximum number of pending items per owner.
  let capacity: Int
  private var waiting: [String: [Work]] = [:]
  /// Owners that have pending but no running work, in the order of their turns.
  private var turns: [String] = []
  private var busy: Set<String> = []
  /// Total number of pending items.
  private(set) var waitingCount = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Whether any owner has work that can start.
  var hasReady: Bool { !turns.isEmpty }

  func waitingCount(of owner: String) -> Int { waiting[owner]?.count ?? 0 }

  /// Appends work to the owner's queue.
  ///
  /// - Returns: Whether the work was added; always `true` if `isBounded` is `false`.
  mutating func add(_ work: Work, of owner: String, isBounded: Bool = true) -> Bool {
    let count = waiting[owner]?.count ?? 0
    guard !isBounded || count < capacity else { return false }
    waiting[owner, default: []].append(work)
    waitingCount += 1
    if count == 0, !busy.contains(owner) { turns.append(owner) }
    return true
  }

  /// Removes up to `limit` items from the owner whose turn it is, oldest first.
  ///
  /// The caller must call ``finish(_:)`` after it has run them.
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

  /// Ends the owner's turn. An owner that has more work moves to the end of the line.
  mutating func finish(_ owner: String) {
    guard busy.remove(owner) != nil else { preconditionFailure("no work of \(owner) is in progress") }
    if waiting[owner] != nil { turns.append(owner) }
  }
}
