/// Durable end of the log, stored in the lock file (docs/format.md, "Lock").
///
/// A process that saves once and exits writes no later group that could mark its save as durable. The next process
/// obtains this information from the record instead. The record is only a hint and is never synced: if it is old or
/// missing, fewer groups are known to be durable.
struct DurableEnd: Hashable {
  private static let bytes = 32

  var storeID: UInt64
  var sequence: UInt64
  /// Checksum of the group with this sequence number. In a copy of the store, the number may belong to a different
  /// group.
  var checksum: UInt64

  init(storeID: UInt64, sequence: UInt64, checksum: UInt64) {
    self.storeID = storeID
    self.sequence = sequence
    self.checksum = checksum
  }

  init?(of lock: any OpenFile) {
    let memory = RowMemory(zeroed: Self.bytes)
    // A read error counts as a missing record.
    guard
      let count = try? lock.read(
        into: UnsafeMutableRawBufferPointer(start: memory.base, count: Self.bytes), at: 0),
      count == Self.bytes, word(memory.base, 24) == Checksum.xxh64(memory.bytes(from: 0, count: 24)),
      word(memory.base, 8) <= StoreFormat.largestNumber
    else { return nil }
    self.init(
      storeID: word(memory.base, 0), sequence: word(memory.base, 8), checksum: word(memory.base, 16))
  }

  /// Returns whether a save after `sequence`, the last save found in the log, was confirmed as durable. If so, the
  /// bytes after the end of the log are damage and not an unfinished save.
  func isAhead(of sequence: UInt64, in manifest: Manifest) -> Bool {
    storeID == manifest.storeID && self.sequence > sequence
  }

  /// Writes the record. Failures are ignored.
  ///
  /// Writing through `counter`, the mapped lock file, needs no system call and does not change the file's timestamp,
  /// which the next sync would otherwise have to write.
  func write(to lock: any OpenFile, with counter: (any SharedCounter)?) {
    let memory = RowMemory(zeroed: Self.bytes)
    store(storeID, memory.base, 0)
    store(sequence, memory.base, 8)
    store(checksum, memory.base, 16)
    store(Checksum.xxh64(memory.bytes(from: 0, count: 24)), memory.base, 24)
    let bytes = memory.bytes(from: 0, count: Self.bytes)
    if let counter, counter.put(bytes) { return }
    // The save is durable even without the record.
    try? lock.write(bytes, at: 0)
  }
}
