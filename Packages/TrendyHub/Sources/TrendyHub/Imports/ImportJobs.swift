import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that persons send, from their first byte until they are taken in or thrown away, and what is done with each.
///
/// What is kept here is of this process and lasts an hour; what was taken in is in the person's list of imports.
final class ImportJobs: Sendable {
  struct Job: Sendable {
    let id: String
    let person: String
    let source: String
    let size: Int64
    /// `nil` for one that only takes an import back.
    let path: String?
    let startedAt: Date
    var touched: Duration
    var received: Int64 = 0
    var stage = Stage.receiving
    /// Bytes that were read of the file.
    var read: Int64 = 0
    /// Of the last reading.
    var preview: ImportSummary?
    var isCancelled = false
  }

  enum Stage: Sendable {
    case receiving
    case reading
    case ready
    case writing
    case done(ImportSummary)
    case undoing
    case undone(removed: Int, left: Int)
    case failed(Problem)

    /// Whether a thread is at it.
    var isBusy: Bool {
      switch self {
      case .reading, .writing, .undoing: true
      case .receiving, .ready, .done, .undone, .failed: false
      }
    }

    var word: String {
      switch self {
      case .receiving: "receiving"
      case .reading: "reading"
      case .ready: "ready"
      case .writing: "writing"
      case .done: "done"
      case .undoing: "undoing"
      case .undone: "undone"
      case .failed: "failed"
      }
    }

    static let words = [
      "receiving", "reading", "ready", "writing", "done", "interrupted", "undoing", "undone", "failed",
    ]
  }

  let intake: FileIntake
  private let clock: any TimeSource
  /// Two files are read at once, whoever sent them; `nil` reads where it is asked.
  private let threads: StorageThreads?
  private let state = Mutex(State())

  private struct State {
    var jobs: [String: Job] = [:]
    var isStopping = false
  }

  private static let lifetime: Duration = .seconds(3600)

  init(intake: FileIntake, clock: any TimeSource, hasThreads: Bool) {
    self.intake = intake
    self.clock = clock
    threads =
      hasThreads
      ? StorageThreads(limits: HubStorageLimits(readingThreads: 1, writingThreads: 2, waitingPerPerson: 4)) : nil
  }

  /// Throws away what an earlier process left.
  func clearFolder() {
    // What cannot be removed is in nobody's way but the disk's, and is tried again at the next start.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: intake.folder.path)) ?? [] {
      try? FileManager.default.removeItem(at: intake.folder.appending(path: name))
    }
  }

  func stop() { state.withLock { $0.isStopping = true } }

  /// Throws away files that nobody asked for in an hour.
  func sweep() {
    let oldest = clock.uptime - Self.lifetime
    let paths = state.withLock { state in
      let old = state.jobs.values.filter { $0.touched < oldest && !$0.stage.isBusy }
      for job in old { state.jobs[job.id] = nil }
      return old.compactMap(\.path)
    }
    for path in paths { unlink(path) }
  }

  /// The person's jobs, the oldest first.
  func jobs(of person: String) -> [Job] {
    state.withLock { $0.jobs.values.filter { $0.person == person } }.sorted {
      ($0.startedAt, $0.id) < ($1.startedAt, $1.id)
    }
  }

  /// - Returns: `nil` for one that is not the person's, too.
  func job(_ id: String, of person: String) -> Job? {
    state.withLock { state in
      guard let job = state.jobs[id], job.person == person else { return nil }
      state.jobs[id]?.touched = clock.uptime
      return job
    }
  }

  // MARK: Receiving

  /// Begins to receive a file; asked again with the same id, says how far it has come. A file of the person that waits is thrown away
  /// for it.
  func begin(_ id: String, source: String, size: Int64, of person: String) throws -> Job {
    sweep()
    guard size <= intake.largestFile else {
      throw Problem(
        "too_large", status: 413, title: "File too large",
        detail:
          "\"\(source.prefix(60))\" has \(size) bytes, and this hub takes files of \(intake.largestFile) at most: "
          + "import it on a device (trendy import FILE), or have the one who runs the hub raise its limit (importBytes)"
      )
    }
    try makeFolder()
    let path = intake.folder.appending(path: UUID().uuidString).path
    let (job, waste) = try state.withLock { state -> (Job, [String]) in
      if let job = state.jobs[id] {
        guard job.person == person, job.source == source, job.size == size, job.path != nil else {
          throw Problem("duplicate", status: 409, title: "Exists already", detail: "id: another import has this id")
        }
        return (job, [])
      }
      let others = state.jobs.values.filter { $0.person == person && $0.path != nil }
      guard !others.contains(where: \.stage.isBusy) else {
        throw Problem(
          "import_busy", status: 409, title: "Another file is at work",
          detail: "the hub is at another file of yours: wait for it, or stop it first")
      }
      for other in others { state.jobs[other.id] = nil }
      let job = Job(
        id: id, person: person, source: source, size: size, path: path, startedAt: clock.now, touched: clock.uptime)
      state.jobs[id] = job
      return (job, others.compactMap(\.path))
    }
    for path in waste { unlink(path) }
    return job
  }

  private func makeFolder() throws {
    do {
      try FileManager.default.createDirectory(
        at: intake.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw HubStorageError.failed("\(intake.folder.path) cannot be made: \(error)")
    }
  }

  /// Takes a part of a file. One that was taken before is passed over, so that whoever had no answer may send it again.
  func take(_ part: Data, at offset: Int64, of id: String, person: String) throws -> Job {
    let job = try found(id, person)
    guard case .receiving = job.stage, let path = job.path else { throw Self.notNow(job) }
    guard offset <= job.received else {
      throw Problem(
        "invalid", status: 400, title: "Invalid part",
        detail: "offset: expected \(job.received) or less, as so many bytes have come, found \(offset)")
    }
    let new = part.dropFirst(Int(min(job.received - offset, Int64(part.count))))
    guard job.received + Int64(new.count) <= job.size else {
      throw Problem.invalid("the body: the file was said to have \(job.size) bytes, and more have come")
    }
    if !new.isEmpty { try append(new, to: path, at: job.received) }
    return try state.withLock { state in
      guard var job = state.jobs[id] else { throw Self.unknown(id) }
      job.received += Int64(new.count)
      job.touched = clock.uptime
      state.jobs[id] = job
      return job
    }
  }

  private func append(_ data: Data, to path: String, at offset: Int64) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    defer { close(descriptor) }
    try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      var done = 0
      while done < bytes.count {
        let written = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + off_t(done))
        guard written >= 0 else {
          if errno == EINTR { continue }
          throw Self.failure(path)
        }
        done += written
      }
    }
  }

  private static func failure(_ path: String) -> HubStorageError {
    let code = errno
    let words = "\(path): \(String(cString: strerror(code)))"
    return switch code {
    case ENOSPC, EDQUOT: .full(words)
    case EMFILE, ENFILE: .exhausted(words)
    default: .failed(words)
    }
  }

  // MARK: Work

  /// Has the file read, and what is in it written unless it is a dry run.
  /// - Parameter work: is given the job and a call for its progress; it may throw a ``Problem``, which the person is told.
  func start(
    _ id: String, of person: String, isWriting: Bool,
    _ work: @escaping @Sendable (Job, (Int64) throws -> Void) throws -> ImportSummary
  ) throws -> Job {
    let job = try state.withLock { state -> Job in
      guard var job = state.jobs[id], job.person == person else { throw Self.unknown(id) }
      guard job.received == job.size, job.path != nil else { throw Self.notNow(job) }
      switch job.stage {
      case .receiving, .ready: break
      case .failed where !isWriting: break
      default: throw Self.notNow(job)
      }
      job.stage = isWriting ? .writing : .reading
      job.read = 0
      job.isCancelled = false
      job.touched = clock.uptime
      state.jobs[id] = job
      return job
    }
    try run(job) { [self] in
      let summary = try work(job) { try onProgress($0, of: id) }
      return isWriting ? .done(summary) : .ready
    } keeping: { job, stage in
      if case .ready = stage { return }
      // It is read no more once it was taken in, or can only be read again by another choice.
      if isWriting, let path = job.path { unlink(path) }
    }
    return self.job(id, of: person) ?? job
  }

  /// Has an import taken back.
  func startUndo(
    _ id: String, source: String, of person: String,
    _ work: @escaping @Sendable ((Int64) throws -> Void) throws -> (removed: Int, left: Int)
  ) throws -> Job {
    let job = try state.withLock { state -> Job in
      if let job = state.jobs[id], job.stage.isBusy { throw Self.notNow(job) }
      var job = Job(
        id: id, person: person, source: source, size: 0, path: nil, startedAt: clock.now, touched: clock.uptime)
      job.stage = .undoing
      state.jobs[id] = job
      return job
    }
    try run(job) { [self] in
      let (removed, left) = try work { try onProgress($0, of: id) }
      return .undone(removed: removed, left: left)
    } keeping: { _, _ in
    }
    return self.job(id, of: person) ?? job
  }

  private func run(
    _ job: Job, _ body: @escaping @Sendable () throws -> Stage, keeping: @escaping @Sendable (Job, Stage) -> Void
  ) throws {
    let work = ImportWork { [self] in
      let stage: Stage
      do {
        stage = try body()
      } catch let problem as Problem {
        stage = .failed(problem)
      } catch let error as HubQuotaError {
        stage = .failed(error.problem)
      } catch is CancellationError {
        stage = .failed(
          Problem(
            "stopped", status: 409, title: "Stopped", detail: "it was stopped; what was written before that stays"))
      } catch {
        stage = .failed(
          Problem(
            "internal", status: 500, title: "Internal error",
            detail: "the hub could not go on: \((error as? HubStorageError).map { "\($0)" } ?? "\(type(of: error))")"))
      }
      keeping(job, stage)
      state.withLock { state in
        state.jobs[job.id]?.stage = stage
        state.jobs[job.id]?.touched = clock.uptime
      }
    }
    guard let threads else {
      _ = work.run(with: [])
      return
    }
    do {
      try threads.add(work, of: job.person, to: .writing)
    } catch {
      state.withLock { $0.jobs[job.id]?.stage = .failed(error) }
      throw error
    }
  }

  /// Notes what a dry run found.
  func notePreview(_ summary: ImportSummary, of id: String) { state.withLock { $0.jobs[id]?.preview = summary } }

  private func onProgress(_ read: Int64, of id: String) throws {
    try state.withLock { state in
      guard let job = state.jobs[id], !job.isCancelled, !state.isStopping else { throw CancellationError() }
      state.jobs[id]?.read = max(job.read, read)
    }
  }

  /// Throws a file away; one at which a thread is at work is stopped, and stays in sight with what became of it.
  func cancel(_ id: String, of person: String) throws {
    let path = try state.withLock { state -> String? in
      guard let job = state.jobs[id], job.person == person else { throw Self.unknown(id) }
      guard !job.stage.isBusy else {
        state.jobs[id]?.isCancelled = true
        return nil
      }
      state.jobs[id] = nil
      return job.path
    }
    if let path { unlink(path) }
  }

  private func found(_ id: String, _ person: String) throws(Problem) -> Job {
    guard let job = job(id, of: person) else { throw Self.unknown(id) }
    return job
  }

  static func unknown(_ id: String) -> Problem {
    .notFound("the hub has no file of yours under the id \"\(id.prefix(60))\": it keeps one for an hour; send it again")
  }

  private static func notNow(_ job: Job) -> Problem {
    Problem(
      "import_busy", status: 409, title: "Not now",
      detail:
        "the file is at \"\(job.stage.word)\", with \(job.received) of \(job.size) bytes: this is asked of it at another stage"
    )
  }
}

/// Reading or taking back, as a piece of work for a thread.
private struct ImportWork: StorageWork {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run(with others: ArraySlice<any StorageWork>) -> Int {
    body()
    return 0
  }
}
