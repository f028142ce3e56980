/// Collects all intact data from the files of a damaged store. Changes nothing.
struct Salvage {
  private struct Group {
    var sequence: UInt64
    var header: GroupHeader
    var chunk: Int
    var offset: Int
  }

  private struct Chunk {
    var number: UInt64
    var path: String
    var memory: RowMemory
  }

  /// Id of the store, taken from the manifest, the newest segment or a chunk.
  let storeID: UInt64
  let generation: UInt64
  /// Current path and original name of every file that contains rows.
  private(set) var files: [(path: String, name: String)] = []
  private(set) var rowsLost = 0
  private(set) var lostRows: [LostRow] = []
  private(set) var lostSaves: [LostSaves] = []
  private(set) var savesKept = 0
  /// Highest sequence number ever assigned to a save.
  private(set) var lastSequence: UInt64
  private let firstSequence: UInt64
  private var chunks: [Chunk] = []
  private var groups: [Group] = []
  private var stack = SegmentStack(salvaging: [])

  /// Reads the files of a store. `manifest` is `nil` if it is missing or damaged; `mark` is the durable end from the
  /// lock file.
  /// - Throws: ``StorageError/damaged(path:offset:)`` if no file contains the store id.
  init(_ log: Log, names: [String], manifest: Manifest?, mark: DurableEnd?) throws(StorageError) {
    let segmentFiles = Self.files(names, prefix: "segment-", above: manifest?.generation)
    let salvaged = try Self.segments(log, files: segmentFiles, manifest: manifest)
    let counts = salvaged.manifest
    firstSequence = counts?.firstSequence ?? 1
    lastSequence = firstSequence - 1
    generation = max(manifest?.generation ?? 0, counts?.generation ?? 0)
    stack = SegmentStack(salvaging: salvaged.segments)
    rowsLost = salvaged.rowsLost
    let chunkFiles = Self.files(names, prefix: "log-", above: counts?.generation)
    var known = counts?.storeID
    for file in chunkFiles where file.number >= counts?.firstChunk ?? 0 {
      let path = log.directory + "/" + file.name
      let memory = try Self.contents(path, log.fileSystem)
      switch ChunkHeader.read(memory.bytes(from: 0, count: memory.count)) {
      case .otherVersion(let version):
        throw .newerVersion(path: path, found: version, supported: StoreFormat.version)
      case .valid(let header): known = known ?? header.storeID
      case .bad: break
      }
      chunks.append(Chunk(number: file.number, path: path, memory: memory))
    }
    // Without the store id, groups cannot be distinguished from arbitrary bytes.
    guard let known else { throw .damaged(path: log.directory + "/" + StoreFormat.manifestName, offset: 0) }
    storeID = known
    files = (chunkFiles + segmentFiles).map { ("\(log.directory)/\($0.name)", $0.plainName) }
    for index in chunks.indices { collect(index) }
    groups.sort { $0.sequence < $1.sequence }
    judgeSaves(confirmed: mark.map { $0.storeID == known ? $0.sequence : 0 } ?? 0)
  }

  private struct File {
    var number: UInt64
    var name: String
    /// File name before an interrupted repair renamed the file.
    var plainName: String
  }

  /// Returns the files with a prefix, ordered by number, including files set aside by an incomplete repair.
  private static func files(_ names: [String], prefix: String, above generation: UInt64?) -> [File] {
    var found: [File] = []
    for name in names {
      var plain = Substring(name)
      if name.hasPrefix(StoreFormat.setAsidePrefix) {
        let rest = name.dropFirst(StoreFormat.setAsidePrefix.count)
        guard let dash = rest.firstIndex(of: "-"), let number = StoreFormat.number(rest[..<dash]),
          number > generation ?? .max
        else { continue }
        plain = rest[rest.index(after: dash)...]
      }
      guard plain.hasPrefix(prefix), let number = StoreFormat.number(plain.dropFirst(prefix.count)) else { continue }
      found.append(File(number: number, name: name, plainName: String(plain)))
    }
    return found.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
  }

  private static func contents(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> RowMemory {
    try storing { () throws(FileSystemError) in
      let file = try fileSystem.open(path, .read)
      let memory = RowMemory(zeroed: try file.size())
      _ = try file.read(into: UnsafeMutableRawBufferPointer(start: memory.base, count: memory.count), at: 0)
      return memory
    }
  }

  /// Opens the segments listed in the manifest. If the manifest is lost, uses the copy in the newest segment instead.
  /// That segment's generation may never have become current, but it contains the same rows.
  private static func segments(
    _ log: Log, files: [File], manifest: Manifest?
  ) throws(StorageError) -> (segments: [Segment], manifest: Manifest?, rowsLost: Int) {
    var opened: [UInt64: Segment] = [:]
    var manifest = manifest
    var newest: Segment?
    for file in files {
      do throws(StorageError) {
        let segment = try Segment(salvaging: file.number, path: log.directory + "/" + file.name, log: log)
        guard manifest == nil || manifest?.storeID == segment.footer.storeID else { continue }
        opened[file.number] = segment
        if file.number > newest?.number ?? 0 { newest = segment }
      } catch {
        guard case .damaged = error else { throw error }
      }
    }
    if manifest == nil, let newest, var copy = try? newest.manifest() {  // a damaged copy counts as missing
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

  private func epoch(_ chunk: Chunk) -> UInt64 {
    ChunkHeader(number: chunk.number, chunkBytes: 0, storeID: storeID).epoch
  }

  private mutating func collect(_ index: Int) {
    let memory = chunks[index].memory
    let epoch = epoch(chunks[index])
    var position = ChunkHeader.bytes
    while position + GroupHeader.bytes <= memory.count {
      if let header = GroupHeader.read(memory.base + position, available: memory.count - position, epoch: epoch),
        header.isWhole(memory.base + position)
      {
        groups.append(Group(sequence: header.sequence, header: header, chunk: index, offset: position))
        position += header.length
      } else {
        position += 8
      }
    }
  }

  /// Counts the saves and records gaps in their sequence numbers.
  private mutating func judgeSaves(confirmed: UInt64) {
    groups.removeAll { $0.sequence < firstSequence }
    var end: (chunk: Int, offset: Int)? = chunks.isEmpty ? nil : (0, ChunkHeader.bytes)
    for group in groups where group.sequence > lastSequence {
      if group.sequence > lastSequence + 1, let end {
        lostSaves.append(hole(at: end, numbers: lastSequence + 1...group.sequence - 1))
      }
      if !group.header.isSeal { savesKept += 1 }
      lastSequence = group.sequence
      end = (group.chunk, group.offset + group.header.length)
      if group.header.isSeal, group.chunk + 1 < chunks.count { end = (group.chunk + 1, ChunkHeader.bytes) }
    }
    if confirmed > lastSequence {
      if let end { lostSaves.append(hole(at: end, numbers: lastSequence + 1...confirmed)) }
      lastSequence = confirmed
    }
  }

  private func hole(at place: (chunk: Int, offset: Int), numbers: ClosedRange<UInt64>) -> LostSaves {
    let chunk = chunks[place.chunk]
    var rows: [LostRow] = []
    // If the header of the first lost group is intact, list its plausible rows.
    let base = chunk.memory.base + place.offset
    let available = chunk.memory.count - place.offset
    if let header = GroupHeader.read(base, available: available, epoch: epoch(chunk)) {
      var position = GroupHeader.bytes
      for _ in 0..<header.count {
        guard position + RowLayout.headerBytes <= header.length else { break }
        let record = base + position
        let size = RowLayout.size(record)
        guard position + size <= header.length else { break }
        rows.append(
          LostRow(
            kind: RowLayout.kind(record), key: RowLayout.key(record),
            sort: RowLayout.isDeletion(record) ? nil : RowLayout.sort(record)))
        position += size
      }
    }
    return LostSaves(path: chunk.path, offset: place.offset, numbers: numbers, rows: rows)
  }

  /// Returns the newest intact version of each row. Adds damaged segment rows to ``lostRows``.
  mutating func records() -> Memtable {
    let memtable = Memtable()
    for layer in stack.layers {
      let (whole, lost) = layer.segment.wholeRecords()
      lostRows += lost
      rowsLost += lost.count
      for (row, record) in whole where !layer.isSuperseded(row) { memtable.apply(record) }
    }
    var before = firstSequence - 1
    for group in groups where group.sequence > before {
      memtable.apply(group: group.header, at: chunks[group.chunk].memory.base + group.offset)
      before = group.sequence
    }
    return memtable
  }

  static func highestNumber(_ names: [String], prefix: String) -> UInt64 {
    files(names, prefix: prefix, above: 0).map(\.number).max() ?? 0
  }
}
