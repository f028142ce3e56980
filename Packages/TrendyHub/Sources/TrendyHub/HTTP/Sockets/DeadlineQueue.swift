/// Binary heap of deadlines for many owners, earliest first.
///
/// Postponing a deadline costs nothing: the owner stores the new deadline, and adds it when the earlier entry is due.
struct DeadlineQueue {
  private struct Entry {
    var time: Duration
    var owner: UInt64
  }

  /// No entry is earlier than its parent.
  private var heap: [Entry] = []
  /// Each owner's valid entry, which is its earliest.
  private var earliest: [UInt64: Duration] = [:]

  /// Time of the first entry, at or before the earliest deadline, or `nil` if the heap is empty.
  var next: Duration? { heap.first?.time }

  mutating func add(_ time: Duration, of owner: UInt64) {
    if let known = earliest[owner], known <= time { return }
    earliest[owner] = time
    heap.append(Entry(time: time, owner: owner))
    var place = heap.count - 1
    while place > 0, heap[place].time < heap[(place - 1) / 2].time {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes and returns an owner that is due, or `nil` if none is due.
  mutating func take(now: Duration) -> UInt64? {
    while let first = heap.first, first.time <= now {
      removeFirst()
      // Skip entries superseded by an earlier deadline of the owner.
      guard earliest[first.owner] == first.time else { continue }
      earliest[first.owner] = nil
      return first.owner
    }
    return nil
  }

  mutating func forget(_ owner: UInt64) {
    guard earliest.removeValue(forKey: owner) != nil else { return }
    // Remove invalid entries before they outnumber the valid ones.
    guard heap.count > 64, heap.count > 2 * earliest.count else { return }
    let counting = earliest.map { Entry(time: $0.value, owner: $0.key) }
    // A sorted array is a valid heap.
    heap = counting.sorted { $0.time < $1.time }
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var place = 0
    while true {
      let left = 2 * place + 1
      guard left < heap.count else { return }
      let child = left + 1 < heap.count && heap[left + 1].time < heap[left].time ? left + 1 : left
      guard heap[child].time < heap[place].time else { return }
      heap.swapAt(place, child)
      place = child
    }
  }
}
