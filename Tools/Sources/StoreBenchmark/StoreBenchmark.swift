import TrendyFoundation
package import TrendyModels
import TrendyPersistence

package struct StoreBenchmark {
  private static let querySeed: UInt64 = 0xC0FFEE
  private let options: BenchmarkOptions
  private let rows: BenchmarkRows

  package init(_ options: BenchmarkOptions) {
    self.options = options
    rows = BenchmarkRows(count: options.count)
  }

  package func run(print: (String) -> Void) throws {
    if options.workload == .generate {
      for index in 0..<options.count { print(Self.line(rows.event(index))) }
      return
    }
    let folder = try BenchmarkFolder(options.directory)
    let report: BenchmarkReport
    switch options.workload {
    case .insertDurable: report = try insert(folder, rowsPerSave: 1)
    case .insertBatch: report = try insert(folder, rowsPerSave: 1000)
    case .bulk: report = try insert(folder, rowsPerSave: options.count)
    case .insertDurableInProcesses: report = try insertInProcesses(folder)
    case .open, .openCold, .recover: report = try openInProcesses(folder)
    case .update, .delete: report = try change(folder)
    case .get, .range, .rangeRows, .typeRange, .countByDay, .verify: report = try read(folder)
    case .generate: return
    case .childFill, .childInsert, .childCrash, .childOpen: return try runAsChild(print)
    }
    print(report.line(for: options, bytesOnDisk: try folder.bytes()))
  }

  /// Formats a row as tab-separated columns.
  package static func line(_ event: Event) -> String {
    func number(_ value: Double?) -> String { SystemCalls.format("%.17g", value ?? 0) }
    return [
      event.id, event.eventTypeId, "\(BenchmarkRows.millis(event.timestamp))", event.notes ?? "",
      event.isAllDay ? "1" : "0", "\(event.endDate.map(BenchmarkRows.millis) ?? 0)", event.sourceType.rawValue,
      number(event.locationLatitude), number(event.locationLongitude), RowCheck.propertiesText(event),
      event.syncStatus.rawValue,
    ].joined(separator: "\t")
  }
}

// MARK: - Store

extension StoreBenchmark {
  private func openStore() throws(StorageError) -> LocalStore { try openFactory().makeLocalStore() }

  private func openFactory() throws(StorageError) -> DefaultDataStoreFactory {
    // Set a longer timeout, because the default would be too short with many concurrent writers.
    try DefaultDataStoreFactory(
      directory: options.directory, fileSystem: PosixFileSystem(), options: .init(lockTimeout: .seconds(60)))
  }

  /// Moves the write-ahead log into a segment, as the daemon and imports do.
  private func seal() throws {
    let factory = try openFactory()
    while try factory.maintain(sealingAll: true) {}
  }

  /// Creates a store with the event types but without events.
  private func makeStore(_ folder: BenchmarkFolder) throws -> LocalStore {
    try folder.clear()
    let store = try openStore()
    for index in 0..<BenchmarkRows.typeCount {
      try store.upsertEventType(id: BenchmarkRows.typeIdentifier(index)) {
        $0.name = "Type \(index + 1)"
        $0.colorHex = "#3366CC"
        $0.iconName = "circle"
        $0.syncStatus = .synced
      }
    }
    try store.save()
    return store
  }

  /// Moves an event into the store, to avoid measuring a copy.
  @inline(__always) private static func upsert(_ place: inout Event, into store: LocalStore) throws {
    try withUnsafeMutablePointer(to: &place) { place in
      let event = place.move()
      defer { place.initialize(to: event) }
      try store.upsertEvent(event)
    }
  }

  /// Inserts rows and saves after every `rowsPerSave` rows. Generating the rows (1,000 at a time) is not measured.
  /// - Returns: duration of each save in seconds, including its upserts.
  private func insert(_ range: Range<Int>, rowsPerSave: Int, into store: LocalStore) throws -> [Double] {
    var latencies: [Double] = []
    latencies.reserveCapacity(range.count / rowsPerSave + 1)
    var seconds = 0.0
    var unsaved = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let count = min(rowsPerSave - unsaved, 1000, range.upperBound - index)
      var events = (index..<index + count).map { rows.event($0) }
      index += count
      unsaved += count
      let isFull = unsaved == rowsPerSave || index == range.upperBound
      seconds += try Self.seconds {
        try events.withUnsafeMutableBufferPointer { events in
          for index in events.indices { try Self.upsert(&events[index], into: store) }
        }
        if isFull { try store.save() }
      }
      if isFull {
        latencies.append(seconds)
        seconds = 0
        unsaved = 0
      }
    }
    return latencies
  }

  /// Creates the data set with the requested number of rows unless the folder already contains it. Runs in a child
  /// process, so that this process's memory statistics are not affected.
  private func prepare(_ folder: BenchmarkFolder) throws {
    let wanted = "trendy \(options.count)"
    if folder.content == wanted { return }
    _ = try ChildProcess(arguments: options.arguments(for: .childFill)).wait()
    try folder.setContent(wanted)
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .seconds(1)
  }
}

// MARK: - Workloads

extension StoreBenchmark {
  private func insert(_ folder: BenchmarkFolder, rowsPerSave: Int) throws -> BenchmarkReport {
    let store = try makeStore(folder)
    var report = BenchmarkReport()
    report.latencies = try insert(0..<options.count, rowsPerSave: rowsPerSave, into: store)
    report.seconds = report.latencies.reduce(0, +)
    report.operations = options.count
    report.rows = options.count
    return report
  }

  private func insertInProcesses(_ folder: BenchmarkFolder) throws -> BenchmarkReport {
    _ = try makeStore(folder)
    var report = BenchmarkReport()
    report.seconds = try Self.seconds {
      var children: [ChildProcess] = []
      for process in 0..<options.processes {
        let part =
          options.count * process / options.processes..<options.count * (process + 1) / options.processes
        children.append(try ChildProcess(arguments: options.arguments(for: .childInsert, rows: part)))
      }
      for child in children { report.peakMemory = max(report.peakMemory ?? 0, try child.wait().peakMemory) }
    }
    report.operations = options.count
    report.rows = options.count
    return report
  }

  private func runAsChild(_ print: (String) -> Void) throws {
    let folder = try BenchmarkFolder(options.directory)
    switch options.workload {
    case .childFill:
      let store = try makeStore(folder)
      _ = try insert(0..<options.count, rowsPerSave: options.count, into: store)
      try seal()
    case .childInsert:
      _ = try insert(options.rows, rowsPerSave: 1, into: try openStore())
    case .childCrash:
      _ = try insert(options.rows, rowsPerSave: 100, into: try openStore())
      SystemCalls.endAtOnce()
    default:
      var queries = SeededGenerator(seed: Self.querySeed)
      let wanted = rows.event(Int(queries.next() % UInt64(options.count)))
      let identifier = wanted.id
      let start = ContinuousClock.now
      let store = try openStore()
      let found = try store.findEvent(id: identifier)
      let seconds = start.duration(to: .now) / .seconds(1)
      withExtendedLifetime(store) {}  // closing is not measured
      guard let found else { throw BenchmarkError.rowMissing(identifier) }
      print("\(seconds) \(RowCheck.value(found))")
    }
  }

  /// Opens the store and reads one row, each time in a new process.
  private func openInProcesses(_ folder: BenchmarkFolder) throws -> BenchmarkReport {
    let isRecovery = options.workload == .recover
    if !isRecovery { try prepare(folder) }
    var report = BenchmarkReport()
    var walls: [Double] = []
    for _ in 0..<(options.operations ?? (isRecovery ? 10 : 30)) {
      if isRecovery {
        try folder.setContent(nil)
        try prepare(folder)
        try folder.setContent(nil)
        let added = options.count..<options.count + 5000
        _ = try ChildProcess(arguments: options.arguments(for: .childCrash, rows: added)).wait()
      }
      if options.workload == .openCold { try folder.dropCache() }
      var said: ChildProcess.Ending?
      walls.append(
        try Self.seconds { said = try ChildProcess(arguments: options.arguments(for: .childOpen)).wait() })
      let words = (said?.output ?? "").split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let seconds = Double(words[0]), let check = UInt64(words[1]) else {
        throw BenchmarkError.child("a process that opened the store printed no result")
      }
      report.latencies.append(seconds)
      report.check = check
      report.peakMemory = max(report.peakMemory ?? 0, said?.peakMemory ?? 0)
    }
    report.seconds = report.latencies.sorted()[report.latencies.count / 2]
    report.wallSeconds = walls.sorted()[walls.count / 2]
    report.operations = 1
    report.rows = 1
    return report
  }

  /// Updates or deletes rows in batches of 100, then reads the remaining rows.
  private func change(_ folder: BenchmarkFolder) throws -> BenchmarkReport {
    let isDeletion = options.workload == .delete
    try folder.setContent(nil)
    try prepare(folder)
    try folder.setContent(nil)
    let store = try openStore()
    var queries = SeededGenerator(seed: Self.querySeed)
    var total = options.operations ?? 20_000
    if isDeletion { total = min(total, options.count) }
    var report = BenchmarkReport()
    for first in stride(from: 0, to: total, by: 100) {
      let changes = (first..<min(first + 100, total)).map { place -> (id: String, notes: String?) in
        if isDeletion { return (rows.event((place * 48_271 + 12_345) % options.count).id, nil) }
        let index = Int(queries.next() % UInt64(options.count))
        return (rows.event(index).id, rows.event(index + options.count).notes)
      }
      report.latencies.append(
        try Self.seconds {
          for change in changes {
            if isDeletion {
              try store.deleteEvent(id: change.id)
            } else {
              try store.upsertEvent(id: change.id) { $0.notes = change.notes }
            }
          }
          try store.save()
        })
    }
    report.seconds = report.latencies.reduce(0, +)
    report.operations = total
    add(try store.events(in: nil, ofType: nil, limit: nil), to: &report)
    return report
  }

  private func read(_ folder: BenchmarkFolder) throws -> BenchmarkReport {
    try prepare(folder)
    let store = try openStore()
    let usual =
      switch options.workload {
      case .get: 100_000
      case .range, .rangeRows: 300
      case .typeRange: 2000
      default: 1
      }
    let operations = options.operations ?? usual
    // The first tenth warms up caches.
    _ = try read(store, operations: (operations + 9) / 10)
    var report = try read(store, operations: operations)
    report.anonymousMemory = SystemCalls.anonymousMemory()
    withExtendedLifetime(store) {}
    return report
  }

  private func read(_ store: LocalStore, operations: Int) throws -> BenchmarkReport {
    var report = BenchmarkReport()
    report.operations = operations
    var queries = SeededGenerator(seed: Self.querySeed)
    switch options.workload {
    case .get:
      let identifiers = (0..<operations).map { _ in rows.event(Int(queries.next() % UInt64(options.count))).id }
      var check = RowCheck()
      report.seconds = try Self.seconds {
        for identifier in identifiers {
          guard let event = try store.findEvent(id: identifier) else { throw BenchmarkError.rowMissing(identifier) }
          report.check &+= withUnsafePointer(to: event) { check.value(at: $0) }
        }
      }
      report.rows = operations
    case .range, .rangeRows, .typeRange:
      let isTyped = options.workload == .typeRange
      let length = (isTyped ? 30 : 7) * BenchmarkRows.millisPerDay
      report.seconds = try Self.seconds {
        for _ in 0..<operations {
          let type = isTyped ? BenchmarkRows.typeIdentifier(Int(queries.next() % 20)) : nil
          let from = BenchmarkRows.start + Int64(queries.next() % UInt64(BenchmarkRows.span - length))
          let range = BenchmarkRows.date(from)..<BenchmarkRows.date(from + length)
          if options.workload == .rangeRows {
            try add(store.eventRows(in: range), to: &report)
          } else {
            add(try store.events(in: range, ofType: type, limit: nil), to: &report)
          }
        }
      }
    case .countByDay:
      report.seconds = try Self.seconds { try count(store, into: &report) }
      report.operations = options.count
    default:
      report.seconds = try Self.seconds { add(try store.events(in: nil, ofType: nil, limit: nil), to: &report) }
      report.operations = options.count
    }
    return report
  }

  /// Counts events per UTC day, as the other engines do.
  private func count(_ store: LocalStore, into report: inout BenchmarkReport) throws {
    guard let utc = TimeZone(secondsFromGMT: 0) else { preconditionFailure("UTC is missing") }
    for type in try store.fetchAllEventTypes() {
      for count in try store.eventDayCounts(ofType: type.id, timeZone: utc) {
        let day = BenchmarkRows.millis(count.day) / BenchmarkRows.millisPerDay
        report.check &+= UInt64(day * Int64(count.count) + 7)
        report.rows += 1
      }
    }
  }

  private func add(_ events: [Event], to report: inout BenchmarkReport) {
    report.check &+= events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return 0 }
      var check = RowCheck()
      return events.indices.reduce(UInt64(0)) { $0 &+ check.value(at: base + $1) }
    }
    report.rows += events.count
  }

  private func add(_ rows: EventRows, to report: inout BenchmarkReport) throws {
    var check = RowCheck()
    for index in 0..<rows.count { report.check &+= try check.value(rows.row(index)) }
    report.rows += rows.count
  }
}
