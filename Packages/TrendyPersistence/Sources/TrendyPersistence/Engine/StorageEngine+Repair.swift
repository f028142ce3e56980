/// What ``StorageEngine/repair(directory:fileSystem:options:)`` found and did.
public struct RepairReport: Hashable, Sendable {
  /// Whether there was damage; without it nothing was changed.
  public var wasDamaged: Bool
  /// Saves of the log that are whole and in the store now.
  public var savesKept: Int
  /// Saves that must have been there and are not whole in any file.
  public var savesLost: Int
  /// Rows of segments that are not whole any more, as far as a manifest or a segment says how many there were.
  public var rowsLost: Int
  /// The files that were there before, under their new names in the same folder, with every byte they had.
  public var setAside: [String]

  public init(wasDamaged: Bool, savesKept: Int, savesLost: Int, rowsLost: Int = 0, setAside: [String]) {
    self.wasDamaged = wasDamaged
    self.savesKept = savesKept
    self.savesLost = savesLost
    self.rowsLost = rowsLost
    self.setAside = setAside
  }
}

extension StorageEngine {
  /// Makes a damaged store usable: takes every save of the log and every row of a segment that is whole into a new
  /// log, and sets the old files aside. A store without damage stays as it is. Handles that are open have to be opened anew.
  ///
  /// Where a lost save had replaced or deleted a record, the one before it shows again.
  /// - Throws: ``StorageError/newerVersion(path:found:supported:)``, or ``StorageError/damaged(path:offset:)`` when nothing
  ///   says any more which store the files belong to. A repair that was cut off can be made again.
  public static func repair(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(), options: Options = Options()
  ) throws(StorageError) -> RepairReport {
    let lockOnly = Log(directory: directory, fileSystem: fileSystem)
    let lock = try lockOnly.openLock()
    defer { withExtendedLifetime(lock) {} }  // the lock goes with its file
    try lockOnly.take(lock, atMost: options.lockTimeout)
    let manifest = try readableManifest(lockOnly)
    if let manifest, let saves = try soundSaves(Log(directory: directory, fileSystem: fileSystem, manifest: manifest)) {
      return RepairReport(wasDamaged: false, savesKept: saves, savesLost: 0, setAside: [])
    }
    let salvage = try Salvage(directory: directory, fileSystem: fileSystem, manifest: manifest)
    return try salvage.writeAnew(options: options)
  }

  private static func readableManifest(_ log: Log) throws(StorageError) -> Manifest? {
    do {
      return try Manifest.read(directory: log.directory, fileSystem: log.fileSystem)
    } catch {
      switch error {
      case .damaged, .missing: return nil
      default: throw error
      }
    }
  }

  /// How many saves an undamaged log holds; `nil` for a damaged one.
  private static func soundSaves(_ log: Log) throws(StorageError) -> Int? {
    do {
      let recovered = try log.read()
      if case .damaged = recovered.tail { return nil }
      for layer in recovered.state.tables.segments.layers { try layer.segment.checkAll() }
      return recovered.report.saves
    } catch {
      if case .damaged = error { return nil }
      throw error
    }
  }
}

/// Everything whole in the files of a damaged store. The caller has the write lock.
private struct Salvage {
  private struct Group {
    var sequence: UInt64
    var header: GroupHeader
    var memory: RecordMemory
    var offset: Int
  }

  private let directory: String
  private let fileSystem: any FileSystem
  private let manifest: Manifest?
  private let storeID: UInt64
  private var chunks: [UInt64] = []
  private var groups: [Group] = []
  private var segmentNames: [String] = []
  private var stack = SegmentStack()
  private var rowsLost = 0
  /// As the manifest has it, or the newest segment.
  private let firstSequence: UInt64
  private let generation: UInt64

  init(directory: String, fileSystem: any FileSystem, manifest: Manifest?) throws(StorageError) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.manifest = manifest
    let names = try storing { () throws(FileSystemError) in try fileSystem.names(inDirectory: directory) }
    segmentNames = names.filter { $0.hasPrefix("segment-") && UInt64($0.dropFirst(8)) != nil }
    let salvaged = try Self.segments(
      Log(directory: directory, fileSystem: fileSystem), names: segmentNames, manifest: manifest)
    stack = SegmentStack(salvaging: salvaged.segments)
    rowsLost = salvaged.rowsLost
    firstSequence = salvaged.manifest?.firstSequence ?? 1
    generation = max(manifest?.generation ?? 0, salvaged.manifest?.generation ?? 0)
    let first = salvaged.manifest?.firstChunk ?? 0
    chunks = names.filter { $0.hasPrefix("log-") }.compactMap { UInt64($0.dropFirst(4)) }.filter { $0 >= first }
      .sorted()
    let log = Log(directory: directory, fileSystem: fileSystem)
    var memories: [(number: UInt64, memory: RecordMemory)] = []
    var known = manifest?.storeID ?? salvaged.manifest?.storeID
    for number in chunks {
      let file = try storing { () throws(FileSystemError) in try fileSystem.open(log.path(number), .read) }
      let size = try storing { () throws(FileSystemError) in try file.size() }
      let memory = RecordMemory(zeroed: size)
      _ = try storing { () throws(FileSystemError) in
        try file.read(into: UnsafeMutableRawBufferPointer(start: memory.base, count: size), at: 0)
      }
      switch ChunkHeader.read(memory.bytes(from: 0, count: size)) {
      case .newer(let version):
        throw .newerVersion(path: log.path(number), found: version, supported: StoreFormat.version)
      case .valid(let header): known = known ?? header.storeID
      case .bad: break
      }
      memories.append((number, memory))
    }
    // Without it no group can be told from noise.
    guard let known else { throw .damaged(path: directory + "/" + StoreFormat.manifestName, offset: 0) }
    storeID = known
    for (number, memory) in memories { collect(number, memory) }
  }

  /// The segments that can be opened of those that count, and the manifest that says which do: when that is lost, the copy in
  /// the newest segment. A generation that was never put in place holds the same rows.
  private static func segments(
    _ log: Log, names: [String], manifest: Manifest?
  ) throws(StorageError) -> (segments: [Segment], manifest: Manifest?, rowsLost: Int) {
    var opened: [UInt64: Segment] = [:]
    var manifest = manifest
    var newest: Segment?
    for name in names {
      guard let number = UInt64(name.dropFirst(8)) else { continue }
      do {
        let segment = try Segment(salvaging: number, log: log)
        guard manifest == nil || manifest?.storeID == segment.footer.storeID else { continue }
        opened[number] = segment
        if number > newest?.number ?? 0 { newest = segment }
      } catch {
        switch error {
        case .damaged: continue
        default: throw error
        }
      }
    }
    if manifest == nil, let newest, var copy = try? newest.manifest() {  // a damaged copy is none
      copy.segments.append(newest.reference)
      manifest = copy
    }
    var found: [Segment] = []
    var rowsLost = 0
    for reference in manifest?.segments ?? [] {
      if let segment = opened[reference.number] { found.append(segment) } else { rowsLost += reference.rowCount }
    }
    return (found, manifest, rowsLost)
  }

  private mutating func collect(_ number: UInt64, _ memory: RecordMemory) {
    let epoch = ChunkHeader(number: number, chunkBytes: 0, storeID: storeID).epoch
    var position = ChunkHeader.bytes
    while position + GroupHeader.bytes <= memory.count {
      if let header = GroupHeader.read(memory.base + position, available: memory.count - position, epoch: epoch),
        header.isWhole(memory.base + position)
      {
        groups.append(Group(sequence: header.sequence, header: header, memory: memory, offset: position))
        position += header.length
      } else {
        position += 8
      }
    }
  }

  func writeAnew(options: StorageEngine.Options) throws(StorageError) -> RepairReport {
    let memtable = Memtable()
    var rowsLost = rowsLost
    for layer in stack.layers {
      let (whole, lost) = layer.segment.wholeRecords()
      rowsLost += lost
      for (row, record) in whole where !layer.isBuried(row) { memtable.apply(record) }
    }
    var before = firstSequence - 1
    var kept = 0
    var lost = 0
    for group in groups.sorted(by: { $0.sequence < $1.sequence }) where group.sequence > before {
      lost += Int(group.sequence - before - 1)
      if !group.header.isSeal { kept += 1 }
      memtable.apply(group: group.header, at: group.memory.base + group.offset)
      before = group.sequence
    }
    var records: [UnsafeRawPointer] = []
    memtable.forEach { records.append($0) }
    records.sort {
      let (left, right) = (RecordLayout.kind($0), RecordLayout.kind($1))
      return left != right ? left < right : RecordLayout.key($0) < RecordLayout.key($1)
    }
    let generation = generation + 1
    let log = Log(directory: directory, fileSystem: fileSystem)
    let number = (chunks.last ?? 0) + 1
    try write(records, to: log, chunk: number, after: before, options: options)
    var renames: [(from: String, to: String)] = []
    let manifestPath = directory + "/" + StoreFormat.manifestName
    if manifest == nil, (try? fileSystem.open(manifestPath, .read)) != nil {  // there may be none to set aside
      renames.append((manifestPath, "\(directory)/set-aside-\(generation)-manifest"))
    }
    let manifestCount = renames.count
    for chunk in chunks {
      renames.append((log.path(chunk), "\(directory)/set-aside-\(generation)-log-\(chunk)"))
    }
    for name in segmentNames {
      renames.append((directory + "/" + name, "\(directory)/set-aside-\(generation)-\(name)"))
    }
    for rename in renames.prefix(manifestCount) {
      try storing { () throws(FileSystemError) in try fileSystem.rename(rename.from, to: rename.to) }
    }
    try Manifest(generation: generation, storeID: storeID, firstChunk: number, firstSequence: before + 1)
      .replace(directory: directory, fileSystem: fileSystem)
    // From here on the new log counts; what is not moved any more is only not read.
    try storing { () throws(FileSystemError) in
      for rename in renames.dropFirst(manifestCount) { try fileSystem.rename(rename.from, to: rename.to) }
      try fileSystem.syncDirectory(directory)
    }
    return RepairReport(
      wasDamaged: true, savesKept: kept, savesLost: lost, rowsLost: rowsLost, setAside: renames.map(\.to))
  }

  /// Writes records as groups of about a megabyte into a chunk of their own, and makes it durable.
  private func write(
    _ records: [UnsafeRawPointer], to log: Log, chunk number: UInt64, after sequence: UInt64,
    options: StorageEngine.Options
  ) throws(StorageError) {
    var batches: [Range<Int>] = []
    var batchStart = 0
    var batchBytes = 0
    var bytes = 0
    for (index, record) in records.enumerated() {
      let size = RecordLayout.size(record)
      if batchBytes > 0, batchBytes + size > 1 << 20 {
        batches.append(batchStart..<index)
        batchStart = index
        batchBytes = 0
      }
      batchBytes += size
      bytes += size
    }
    if batchStart < records.count { batches.append(batchStart..<records.count) }
    bytes += ChunkHeader.bytes + (batches.count + 1) * GroupHeader.bytes
    let header = ChunkHeader(
      number: number, chunkBytes: max(bytes, options.firstChunkBytes), storeID: storeID)
    let file = try log.createChunk(header, isWrittenOver: bytes <= options.largestChunkBytes)
    let memory = RecordMemory(zeroed: bytes)
    var end = ChunkHeader.bytes
    for (index, batch) in batches.enumerated() {
      let start = end
      end += GroupHeader.bytes
      for record in records[batch] {
        let size = RecordLayout.size(record)
        (memory.base + end).copyMemory(from: record, byteCount: size)
        end += size
      }
      GroupHeader(
        length: end - start, count: batch.count, epoch: header.epoch, sequence: sequence + 1 + UInt64(index),
        durable: sequence, isSeal: false
      ).write(to: memory.base + start)
    }
    let written = memory.bytes(from: ChunkHeader.bytes, count: end - ChunkHeader.bytes)
    try storing { () throws(FileSystemError) in
      try file.write(written, at: ChunkHeader.bytes)
      try file.synchronize()
    }
  }
}
