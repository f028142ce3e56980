#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Memory that contains rows.
///
/// `@unchecked`: the bytes of a row are written before the row can be found, under the engine's lock, which also orders
/// memory accesses. The bytes never change afterwards. Only the holder of the write lock writes, and only beyond the
/// rows that can be found.
final class RowMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let count: Int
  /// Mapped pages that contain ``base``, or `nil` for memory from `malloc`.
  private var pages: ZeroPages?

  /// Large allocations use physical memory only for pages that have been touched.
  init(zeroed count: Int) {
    if let pages = ZeroPages(count) {
      self.pages = pages
      base = pages.base
      self.count = count
      return
    }
    guard let base = calloc(max(count, 8), 1) else {
      preconditionFailure("out of memory: cannot allocate \(count) bytes for rows")
    }
    self.base = base
    self.count = count
  }

  convenience init(zeroed count: Int, beginningWith bytes: UnsafeRawBufferPointer) {
    self.init(zeroed: count)
    if let start = bytes.baseAddress { base.copyMemory(from: start, byteCount: bytes.count) }
  }

  init(_ count: Int) {
    guard let base = malloc(max(count, 8)) else {
      preconditionFailure("out of memory: cannot allocate \(count) bytes for rows")
    }
    self.base = base
    self.count = count
  }

  deinit { if pages == nil { free(base) } }

  /// Asks the system to provide the pages now rather than at the first access to each. Only a hint.
  func bringIn(from offset: Int, count: Int) {
    #if os(Linux) && !TRENDY_PORTABLE
      // For small ranges the system call costs more than it saves.
      guard count >= 64 << 10 else { return }
      let page = 4096
      let start = (Int(bitPattern: base) + offset + page - 1) & -page
      let end = (Int(bitPattern: base) + offset + count) & -page
      // MADV_POPULATE_WRITE, which older kernels reject.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, 23)
    #endif
  }

  /// Returns the pages from `offset` to the end, which must be zero, to the operating system. Only a hint.
  func returnZeros(from offset: Int) {
    #if os(Linux) && !TRENDY_PORTABLE
      guard let pages, offset < count else { return }
      pages.returnZeros(from: offset)
    #endif
  }

  func isZero(from offset: Int) -> Bool { isZero(from: offset, count: count - offset) }

  func isZero(from offset: Int, count: Int) -> Bool {
    guard count > 0 else { return true }
    // All bytes are zero if the first is zero and each equals the next.
    return base.load(fromByteOffset: offset, as: UInt8.self) == 0
      && memcmp(base + offset, base + offset + 1, count - 1) == 0
  }

  func bytes(from offset: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + offset, count: count)
  }
}

/// Zeroed anonymous mapping. Long mappings use 2 MiB pages if available, so that a growing log does not cause a page
/// fault every 4 KiB.
private final class ZeroPages {
  /// Length in bytes below which `malloc` is faster.
  private static let minBytes = 32 << 10
  private static let largeBytes = 2 << 20
  let base: UnsafeMutableRawPointer
  private let count: Int

  init?(_ count: Int) {
    guard count >= Self.minBytes else { return nil }
    let isLarge = count >= Self.largeBytes
    let unit = isLarge ? Self.largeBytes : 16 << 10  // one or more pages
    self.count = (count + unit - 1) / unit * unit
    let whole = self.count + (isLarge ? Self.largeBytes : 0)
    guard let start = mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
    else { return nil }
    let before = isLarge ? -Int(bitPattern: start) & (Self.largeBytes - 1) : 0
    base = start + before
    if before > 0 { munmap(start, before) }
    if whole > before + self.count { munmap(base + self.count, whole - before - self.count) }
    #if os(Linux) && !TRENDY_PORTABLE
      // MADV_HUGEPAGE. If the kernel rejects this advice, the pages stay small.
      if isLarge { _ = madvise(base, self.count, 14) }
    #endif
  }

  deinit { munmap(base, count) }

  #if os(Linux) && !TRENDY_PORTABLE
    func returnZeros(from offset: Int) {
      let start = (offset + 4095) & -4096
      // MADV_DONTNEED: private anonymous pages read as zeros at the next access.
      if start < count { _ = madvise(base + start, count - start, 4) }
    }
  #endif
}

/// Keeps the memory of a set of rows alive.
final class RowPin: Sendable {
  let memories: [RowMemory]
  let mapping: (any MappedFile)?
  let others: [RowPin]

  init(memories: [RowMemory], mapping: (any MappedFile)? = nil, others: [RowPin] = []) {
    self.memories = memories
    self.mapping = mapping
    self.others = others
  }
}

/// One row of a store. Keeps the memory behind it alive, so a row is cheap to copy and safe to send.
///
/// `@unchecked`: the bytes behind the pointer never change (see `RowMemory`), and the pin keeps them alive.
public struct Row: @unchecked Sendable {
  let pointer: UnsafeRawPointer
  let pin: RowPin

  /// Kind of the row, defined by the owner of the store. Kind and ``key`` identify the row.
  public var kind: UInt8 { RowLayout.kind(pointer) }
  /// Key of the row, unique within its ``kind``.
  public var key: RowKey { RowLayout.key(pointer) }
  /// Sort value, which determines the scan order: a time in a device's store, a version in a hub's store.
  public var sort: Int64 { RowLayout.sort(pointer) }
  /// Group key that scans can be restricted to, or 0 for none.
  public var group: UInt64 { RowLayout.group(pointer) }
  /// Length of the payload in bytes.
  public var payloadCount: Int { RowLayout.payloadCount(pointer) }

  /// Calls `body` with the bytes of the payload, which are valid only during the call.
  public func withPayload<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(pin) {} }
    return try body(UnsafeRawBufferPointer(start: pointer + RowLayout.headerBytes, count: payloadCount))
  }

  func isPayload(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == payloadCount else { return false }
    return withPayload { own in
      guard let left = own.baseAddress, let right = bytes.baseAddress else { return true }
      return memcmp(left, right, own.count) == 0
    }
  }

  /// Copy of the payload.
  public var payload: [UInt8] { withPayload { Array($0) } }
}

/// Rows found by a scan, in scan order. Unaffected by later saves.
///
/// `@unchecked`: see ``Row``.
public struct RowList: RandomAccessCollection, @unchecked Sendable {
  let pointers: [UnsafeRawPointer]
  let pin: RowPin

  /// Always 0.
  public var startIndex: Int { 0 }
  /// Number of rows.
  public var endIndex: Int { pointers.count }
  /// Returns the row at a position.
  public subscript(position: Int) -> Row { Row(pointer: pointers[position], pin: pin) }
}
