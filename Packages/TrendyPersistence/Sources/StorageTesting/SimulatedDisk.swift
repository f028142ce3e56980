import Synchronization
import TrendyModels
import TrendyPersistence

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

final class SimulatedDisk: Sendable {
  let state: Mutex<DiskState>

  init(capacity: Int?) { state = Mutex(DiskState(capacity: capacity)) }

  func call<Result>(
    _ operation: FileSystemError.Operation, _ path: String,
    _ body: (inout DiskState) throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result where Result: Sendable {
    try state.withLock { state throws(FileSystemError) in
      try state.begin(operation, path)
      return try body(&state)
    }
  }

  /// Performs a call that modifies the disk or makes data durable, and counts it.
  func change<Result>(
    _ operation: FileSystemError.Operation, _ path: String,
    _ body: (inout DiskState) throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result where Result: Sendable {
    let (result, watches) = try state.withLock { state throws(FileSystemError) -> (Result, [DiskState.Watch]) in
      try state.begin(operation, path)
      if let left = state.changesLeft {
        if left <= 0 {
          state.isOff = true
          throw FileSystemError(operation: operation, path: path, code: EIO)
        }
        state.changesLeft = left - 1
      }
      let result = try body(&state)
      state.changes += 1
      return (result, operation == .write || operation == .rename ? state.watches(of: DiskState.folder(of: path)) : [])
    }
    for watch in watches { watch.onChange() }
    return result
  }
}

struct DiskState: Sendable {
  enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case resize(Int)
  }

  enum NameChange: Sendable {
    case make(String, node: Int)
    case remove(String)
    case rename(from: String, to: String, node: Int)
    case renameFolder(from: String, to: String)
    case removeFolder(String)

    /// Directories that must be synced to make the change durable.
    var folders: [String] {
      switch self {
      case .make(let path, _), .remove(let path), .rename(_, let path, _), .removeFolder(let path):
        [DiskState.folder(of: path)]
      case .renameFolder(let from, let to): [DiskState.folder(of: from), DiskState.folder(of: to)]
      }
    }
  }

  struct Watch: Sendable {
    var process: Int
    var directory: String
    var onChange: @Sendable () -> Void
  }

  struct Node: Sendable {
    var bytes: [UInt8] = []
    var durable: [UInt8] = []
    var pending: [Change] = []
    /// Handle of the open file that holds the lock.
    var lockOwner: Int?
    var counter: UInt64 = 0
  }

  var capacity: Int?
  var folders: Set<String> = ["/", "."]
  var names: [String: Int] = [:]
  var nodes: [Int: Node] = [:]
  var calls = 0
  var changes = 0
  var changesLeft: Int?
  var isOff = false
  /// Number of restarts. Files that were opened before the last restart are invalid.
  var boot = 0
  var handles: [Int: Int] = [:]
  var metFault = false
  private(set) var watches: [Int: Watch] = [:]
  private var durableNames: [String: Int] = [:]
  /// A new directory is durable immediately. Renaming or removing a directory becomes durable when its parent is
  /// synced.
  private var durableFolders: Set<String> = ["/", "."]
  private var pendingNames: [NameChange] = []
  private var fault: SimulatedFileSystem.Fault?
  private var faultCalls = 0
  private var nextNumber = 1

  init(capacity: Int?) { self.capacity = capacity }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  // MARK: Calls

  mutating func begin(_ operation: FileSystemError.Operation, _ path: String) throws(FileSystemError) {
    calls += 1
    if isOff { throw FileSystemError(operation: operation, path: path, code: EIO) }
    guard let fault, fault.operation == nil || fault.operation == operation else { return }
    faultCalls += 1
    if faultCalls == fault.call || (fault.isForever && faultCalls > fault.call) {
      metFault = true
      throw FileSystemError(operation: operation, path: path, code: fault.code)
    }
  }

  mutating func setFault(_ fault: SimulatedFileSystem.Fault?) {
    self.fault = fault
    faultCalls = 0
    metFault = false
  }

  // MARK: Processes

  private mutating func newNumber() -> Int {
    nextNumber += 1
    return nextNumber
  }

  mutating func newProcess() -> Int { newNumber() }

  mutating func newHandle(_ process: Int, node: Int) -> Int {
    let handle = newNumber()
    handles[handle] = process
    return handle
  }

  mutating func close(_ handle: Int, node: Int) {
    handles[handle] = nil
    unlock(node, handle: handle)
  }

  mutating func add(_ watch: Watch) -> Int {
    let number = newNumber()
    watches[number] = watch
    return number
  }

  mutating func removeWatch(_ number: Int) { watches[number] = nil }

  func watches(of directory: String) -> [Watch] {
    watches.isEmpty ? [] : watches.sorted { $0.key < $1.key }.map(\.value).filter { $0.directory == directory }
  }

  mutating func endProcess(_ process: Int) {
    watches = watches.filter { $0.value.process != process }
    for (handle, owner) in handles where owner == process {
      handles[handle] = nil
      for node in nodes.keys { unlock(node, handle: handle) }
    }
  }

  mutating func lock(_ node: Int, handle: Int) -> Bool {
    guard let owner = nodes[node]?.lockOwner else {
      nodes[node]?.lockOwner = handle
      return true
    }
    return owner == handle
  }

  mutating func unlock(_ node: Int, handle: Int) {
    if nodes[node]?.lockOwner == handle { nodes[node]?.lockOwner = nil }
  }

  // MARK: Names

  mutating func makeFolder(_ path: String) {
    var path = path
    while path != "/" && path != "." {
      folders.insert(path)
      durableFolders.insert(path)
      path = Self.folder(of: path)
    }
  }

  mutating func makeFile(_ path: String) -> Int {
    let node = newNumber()
    nodes[node] = Node()
    apply(.make(path, node: node))
    return node
  }

  mutating func apply(_ change: NameChange) {
    if case .renameFolder(let from, _) = change {
      // Pending changes in the directory refer to its old path. A journaling file system would write these changes
      // before the rename, so make them durable now.
      for folder in folders where folder == from || folder.hasPrefix(from + "/") { syncNames(in: folder) }
    }
    Self.apply(change, to: &names, &folders)
    pendingNames.append(change)
  }

  func isEmpty(folder: String) -> Bool {
    !names.keys.contains { $0.hasPrefix(folder + "/") } && !folders.contains { $0.hasPrefix(folder + "/") }
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int], _ folders: inout Set<String>) {
    switch change {
    case .make(let path, let node): names[path] = node
    case .remove(let path): names[path] = nil
    case .rename(let from, let to, let node):
      names[from] = nil
      names[to] = node
    case .renameFolder(let from, let to):
      func moved(_ path: String) -> String? {
        path == from || path.hasPrefix(from + "/") ? to + path.dropFirst(from.count) : nil
      }
      names = Dictionary(uniqueKeysWithValues: names.map { (moved($0.key) ?? $0.key, $0.value) })
      folders = Set(folders.map { moved($0) ?? $0 })
    case .removeFolder(let path): folders.remove(path)
    }
  }

  mutating func syncNames(in folder: String) {
    for change in pendingNames where change.folders.contains(folder) {
      Self.apply(change, to: &durableNames, &durableFolders)
    }
    pendingNames.removeAll { $0.folders.contains(folder) }
  }

  // MARK: Contents

  var usedBytes: Int { names.values.reduce(0) { $0 + (nodes[$1]?.bytes.count ?? 0) } }

  func hasRoom(for end: Int, node: Int) -> Bool {
    guard let capacity else { return true }
    let grows = end - (nodes[node]?.bytes.count ?? 0)
    return grows <= 0 || usedBytes + grows <= capacity
  }

  func read(_ node: Int, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard let node = nodes[node], offset < node.bytes.count else { return 0 }
    let count = min(buffer.count, node.bytes.count - offset)
    node.bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
    return count
  }

  mutating func change(_ node: Int, _ change: Change) {
    guard nodes[node] != nil else { return }
    Self.apply(change, to: &nodes[node]!.bytes)
    nodes[node]!.pending.append(change)
  }

  mutating func synchronize(_ node: Int) {
    guard let pending = nodes[node]?.pending else { return }
    for change in pending { Self.apply(change, to: &nodes[node]!.durable) }
    nodes[node]!.pending = []
  }

  mutating func forgetPending(_ node: Int) { nodes[node]?.pending = [] }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .write(let offset, let new):
      if bytes.count < offset + new.count { bytes.resize(to: offset + new.count) }
      bytes.withUnsafeMutableBytes { target in
        new.withUnsafeBytes { source in
          UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + new.count]).copyMemory(from: source)
        }
      }
    case .resize(let size):
      bytes.resize(to: size)
    }
  }

  func contents(_ path: String) -> [UInt8]? { names[path].flatMap { nodes[$0]?.bytes } }

  mutating func setContents(_ path: String, _ bytes: [UInt8]) {
    let node = names[path] ?? makeFile(path)
    makeFolder(Self.folder(of: path))
    nodes[node] = Node(bytes: bytes, durable: bytes, lockOwner: nodes[node]?.lockOwner)
    syncNames(in: Self.folder(of: path))
  }

  // MARK: Power loss

  mutating func restart(losing loss: SimulatedFileSystem.Loss) {
    handles = [:]
    watches = [:]
    changesLeft = nil
    isOff = false
    boot += 1
    for node in nodes.keys { nodes[node]!.lockOwner = nil }
    switch loss {
    case .nothing: return
    case .unsynced: break
    case .random(let seed):
      var random = SeededGenerator(seed: seed)
      for node in nodes.keys.sorted() {
        for change in nodes[node]!.pending { Self.applyPart(change, to: &nodes[node]!.durable, &random) }
      }
      for change in pendingNames where random.next() % 2 == 0 {
        Self.apply(change, to: &durableNames, &durableFolders)
      }
    }
    names = durableNames
    folders = durableFolders
    pendingNames = []
    let kept = Set(names.values)
    nodes = nodes.filter { kept.contains($0.key) }.mapValues { Node(bytes: $0.durable, durable: $0.durable) }
  }

  private static func applyPart(_ change: Change, to bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard case .write(let offset, let new) = change else {
      if random.next() % 2 == 0 { apply(change, to: &bytes) }
      return
    }
    switch random.next() % 3 {
    case 0: return
    case 1: apply(change, to: &bytes)
    default:
      var from = offset
      while from < offset + new.count {
        let to = min((from / 512 + 1) * 512, offset + new.count)
        if random.next() % 2 == 0 {
          apply(.write(offset: from, bytes: Array(new[(from - offset)..<(to - offset)])), to: &bytes)
        }
        from = to
      }
    }
  }
}

/// Bulk operations. In unoptimized builds the `Array` methods make one call per byte, and tests create many disks.
extension [UInt8] {
  init(copying source: UnsafeRawBufferPointer) {
    self.init(unsafeUninitializedCapacity: source.count) { target, count in
      UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
      count = source.count
    }
  }

  /// Truncates the array, or pads it with zeros.
  mutating func resize(to size: Int) {
    let kept = Swift.min(size, count)
    let old = self
    self = [UInt8](unsafeUninitializedCapacity: size) { target, count in
      let target = UnsafeMutableRawBufferPointer(target)
      old.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<kept])) }
      if size > kept, let base = target.baseAddress { memset(base + kept, 0, size - kept) }
      count = size
    }
  }
}
