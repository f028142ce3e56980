#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Memory that records lie in.
///
/// `@unchecked`: bytes of a record are written before the record can be found (under the engine's lock, which also orders
/// the memory) and never again; only the owner of the write lock writes, beyond what can be found.
final class RecordMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let count: Int
  /// What ``base`` lies in, if not in memory of its own.
  private var pages: ZeroPages?

  /// Zeroed, as a fresh chunk is. What is long takes up memory where it is touched, and only there.
  init(zeroed count: Int) {
    if let pages = ZeroPages(count) {
      self.pages = pages
      base = pages.base
      self.count = count
      return
    }
    guard let base = calloc(max(count, 8), 1) else { preconditionFailure("no memory for \(count) bytes of records") }
    self.base = base
    self.count = count
  }

  /// The same with something at its beginning.
  convenience init(zeroed count: Int, beginningWith bytes: UnsafeRawBufferPointer) {
    self.init(zeroed: count)
    if let start = bytes.baseAddress { base.copyMemory(from: start, byteCount: bytes.count) }
  }

  /// As it happens to be.
  init(_ count: Int) {
    guard let base = malloc(max(count, 8)) else { preconditionFailure("no memory for \(count) bytes of records") }
    self.base = base
    self.count = count
  }

  deinit { if pages == nil { free(base) } }

  /// Has the system give memory for these bytes in one step, instead of at the first touch of each page. A hint.
  func bringIn(from offset: Int, count: Int) {
    #if os(Linux)
      // For little it takes longer than it spares.
      guard count >= 64 << 10 else { return }
      let page = 4096
      let start = (Int(bitPattern: base) + offset + page - 1) & -page
      let end = (Int(bitPattern: base) + offset + count) & -page
      // MADV_POPULATE_WRITE; an older system refuses.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, 23)
    #endif
  }

  /// Returns the pages from `offset` to the end, which are zeros, to the system until one is touched again. A hint.
  func returnZeros(from offset: Int) {
    #if os(Linux)
      guard let pages, offset < count else { return }
      pages.returnZeros(from: offset)
    #endif
  }

  /// Whether nothing but zeros lies from `offset` to the end.
  func isZero(from offset: Int) -> Bool { isZero(from: offset, count: count - offset) }

  func isZero(from offset: Int, count: Int) -> Bool {
    guard count > 0 else { return true }
    // All equal their neighbour, and the first is zero.
    return base.load(fromByteOffset: offset, as: UInt8.self) == 0
      && memcmp(base + offset, base + offset + 1, count - 1) == 0
  }

  func bytes(from offset: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + offset, count: count)
  }
}

/// Zeroed memory from the system, a page when it is first touched; where it is long, and the system has them, of 2 MiB: a log that
/// grows would ask for each 4 KiB.
private final class ZeroPages {
  /// Below it the allocator is quicker.
  private static let leastBytes = 32 << 10
  private static let largeBytes = 2 << 20
  let base: UnsafeMutableRawPointer
  private let count: Int

  init?(_ count: Int) {
    guard count >= Self.leastBytes else { return nil }
    let isLarge = count >= Self.largeBytes
    let unit = isLarge ? Self.largeBytes : 16 << 10  // a page, or some
    self.count = (count + unit - 1) / unit * unit
    // Large pages begin at multiples of their length.
    let whole = self.count + (isLarge ? Self.largeBytes : 0)
    guard let start = mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
    else { return nil }
    let before = isLarge ? -Int(bitPattern: start) & (Self.largeBytes - 1) : 0
    base = start + before
    if before > 0 { munmap(start, before) }
    if whole > before + self.count { munmap(base + self.count, whole - before - self.count) }
    #if os(Linux)
      // MADV_HUGEPAGE; where the system refuses, pages are small.
      if isLarge { _ = madvise(base, self.count, 14) }
    #endif
  }

  deinit { munmap(base, count) }

  #if os(Linux)
    func returnZeros(from offset: Int) {
      let start = (offset + 4095) & -4096
      // MADV_DONTNEED: private pages of no file are zeros when they are touched again.
      if start < count { _ = madvise(base + start, count - start, 4) }
    }
  #endif
}

/// Keeps alive every memory that a set of records lies in.
final class RecordPin: Sendable {
  let memories: [RecordMemory]
  let mapping: (any MappedFile)?
  let others: [RecordPin]

  init(memories: [RecordMemory], mapping: (any MappedFile)? = nil, others: [RecordPin] = []) {
    self.memories = memories
    self.mapping = mapping
    self.others = others
  }
}

/// One row of a store: a view on bytes in memory, which it keeps alive. Cheap to hold, safe to send.
///
/// `@unchecked`: the bytes behind the pointer are never written again (see `RecordMemory`), and the pin keeps them.
public struct Record: @unchecked Sendable {
  let pointer: UnsafeRawPointer
  let pin: RecordPin

  /// What the owner of the store means by it; with ``key`` it names the record.
  public var kind: UInt8 { RecordLayout.kind(pointer) }
  public var key: RecordKey { RecordLayout.key(pointer) }
  /// What scans go by: a time on a device, a version at a hub.
  public var sort: Int64 { RecordLayout.sort(pointer) }
  /// What scans can be narrowed to; 0 for none.
  public var group: UInt64 { RecordLayout.group(pointer) }
  public var payloadCount: Int { RecordLayout.payloadCount(pointer) }

  public func withPayload<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(pin) {} }
    return try body(UnsafeRawBufferPointer(start: pointer + RecordLayout.headerBytes, count: payloadCount))
  }

  /// Whether the payload is these bytes.
  func isPayload(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == payloadCount else { return false }
    return withPayload { own in
      guard let left = own.baseAddress, let right = bytes.baseAddress else { return true }
      return memcmp(left, right, own.count) == 0
    }
  }

  /// A copy.
  public var payload: [UInt8] { withPayload { Array($0) } }
}

/// What a scan found, in its order. It keeps what it shows, whatever is saved meanwhile.
///
/// `@unchecked`: as ``Record``.
public struct RecordList: RandomAccessCollection, @unchecked Sendable {
  let pointers: [UnsafeRawPointer]
  let pin: RecordPin

  public var startIndex: Int { 0 }
  public var endIndex: Int { pointers.count }
  public subscript(position: Int) -> Record { Record(pointer: pointers[position], pin: pin) }
}
