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

/// Uploaded files and the jobs that read, import or undo them.
///
/// Jobs exist only in this process and are removed after an hour. Completed imports are stored in the user's record.
final class ImportJobs: Sendable {
  struct Job: Sendable {
    let id: String
    let user: String
    let source: String
    let size: Int64
    /// Path of the uploaded file, or `nil` for a job that only undoes an import.
    let path: String?
    /// Whether the file still exists. The file is deleted after the import, or after an hour.
    var hasFile = false
    let startedAt: Date
    var touched: Duration
    var received: Int64 = 0
    var stage = Stage.receiving
    /// Number of bytes of the file read so far.
    var read: Int64 = 0
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
  /// Two threads that read all users' files, or `nil` to read on the caller's thread.
  private let threads: StorageThreads?
  private let state = Mutex(State())

  /// Key of a job. Ids are separate for each user, so a client cannot find out which ids other users chose.
  private struct Key: Hashable {
    let user: String
    let id: String

    init(_ id: String, of user: String) {
      self.user = user
      self.id = id
    }
  }

  private struct State {
    var jobs: [Key: Job] = [:]
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

  /// Deletes files left behind by an earlier process.
  func clearFolder() {
    // Ignore a file that cannot be deleted: it only occupies disk space, and the next start tries again to delete it.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: intake.folder.path)) ?? [] {
      try? FileManager.default.removeItem(at: intake.folder.appending(path: name))
    }
  }

  func stop() { state.withLock { $0.isStopping = true } }

  /// Deletes files that have been neither extended nor read for an hour.
  func sweep() {
    let oldest = clock.uptime - Self.lifetime
    let paths = state.withLock { state in
      let old = state.jobs.filter { $0.value.touched < oldest && !$0.value.stage.isBusy }
      for key in old.keys { state.jobs[key] = nil }
      return old.values.filter(\.hasFile).compactMap(\.path)
    }
    for path in paths { unlink(path) }
  }

  /// Returns the user's jobs, oldest first.
  func jobs(of user: String) -> [Job] {
    state.withLock { $0.jobs.values.filter { $0.user == user } }.sorted {
      ($0.startedAt, $0.id) < ($1.startedAt, $1.id)
    }
  }

  func job(_ id: String, of user: String) -> Job? {
    state.withLock { $0.jobs[Key(id, of: user)] }
  }

  // MARK: Receiving

  /// Starts an upload and deletes the user's other pending upload, if there is one.
  ///
  /// A repeated call with the same id returns the current state. The full size counts immediately, against both the
  /// user's quota and the limit for all users. `room` is the number of bytes that the user may still store, or `nil` if
  /// unlimited.
  ///
  /// - Throws: A ``Problem`` of kind `too_large`, `quota_exceeded`, `uploads_full`, `duplicate` or `import_busy`.
  func begin(_ id: String, source: String, size: Int64, of user: String, room: Int64?) throws -> Job {
    sweep()
    guard size <= intake.largestFile else {
      throw Problem(
        "too_large", status: 413, title: "File too large",
        detail:
          "\"\(source.prefix(60))\" has \(size) bytes, but this hub accepts at most \(intake.largestFile): import it on a "
          + "device (trendy import FILE), or ask the operator of the hub to raise the limit importBytes"
      )
    }
    try makeFolder()
    let path = intake.folder.appending(path: UUID().uuidString).path
    let (job, waste) = try state.withLock { state -> (Job, [String]) in
      if let job = state.jobs[Key(id, of: user)] {
        guard job.source == source, job.size == size, job.path != nil else {
          throw Problem(
            "duplicate", status: 409, title: "Already exists", detail: "id: another import has this id")
        }
        return (job, [])
      }
      if let room, size > room {
        throw Problem(
          "quota_exceeded", status: 507, title: "Quota exceeded",
          detail:
            "\"\(source.prefix(60))\" has \(size) bytes, but your record has space for \(max(room, 0)): import it on a "
            + "device (trendy import FILE), delete something, or ask the operator of the hub for more space",
          retryAfter: .seconds(60))
      }
      let others = state.jobs.values.filter { $0.user == user && $0.path != nil }
      guard !others.contains(where: \.stage.isBusy) else {
        throw Problem(
          "import_busy", status: 409, title: "Import in progress",
          detail: "you already have an import running: wait for it to finish, or stop it first")
      }
      let stored = state.jobs.values.filter { $0.hasFile && $0.user != user }.reduce(0) { $0 + $1.size }
      guard size <= intake.maxBytes - stored else {
        throw Problem(
          "uploads_full", status: 503, title: "Too many files",
          detail: "the hub has no space for more uploads: try again later, or import the file on a device",
          retryAfter: .seconds(600))
      }
      for other in others { state.jobs[Key(other.id, of: user)] = nil }
      var job = Job(
        id: id, user: user, source: source, size: size, path: path, startedAt: clock.now, touched: clock.uptime)
      job.hasFile = true
      state.jobs[Key(id, of: user)] = job
      return (job, others.filter(\.hasFile).compactMap(\.path))
    }
    for path in waste { unlink(path) }
    return job
  }

  private func makeFolder() throws {
    do {
      try FileManager.default.createDirectory(
        at: intake.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw HubStorageError.file("cannot create \(intake.folder.path): \(error)")
    }
  }

  /// Appends a part to a file. A part that has already been received is ignored, so clients may repeat it.
  func take(_ part: Data, at offset: Int64, of id: String, user: String) throws -> Job {
    let job = try found(id, user)
    guard case .receiving = job.stage, let path = job.path else { throw Self.notNow(job) }
    guard offset <= job.received else {
      throw Problem(
        "invalid", status: 400, title: "Invalid part",
        detail: "offset: expected at most \(job.received), the number of bytes received, found \(offset)")
    }
    let new = part.dropFirst(Int(min(job.received - offset, Int64(part.count))))
    guard job.received + Int64(new.count) <= job.size else {
      throw Problem.invalid("the body: expected at most the announced file size of \(job.size) bytes, found more")
    }
    if !new.isEmpty { try append(new, to: path, at: job.received) }
    return try state.withLock { state in
      guard var job = state.jobs[Key(id, of: user)] else { throw Self.unknown(id) }
      job.received += Int64(new.count)
      job.touched = clock.uptime
      state.jobs[Key(id, of: user)] = job
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
    default: .file(words)
    }
  }

  // MARK: Work

  /// Starts to read a file and, if `isWriting` is set, to write its contents.
  ///
  /// `work` receives the job and a closure that reports progress. It may throw a ``Problem`` for the user.
  func start(
    _ id: String, of user: String, isWriting: Bool,
    _ work: @escaping @Sendable (Job, (Int64) throws -> Void) throws -> ImportSummary
  ) throws -> Job {
    let job = try state.withLock { state -> Job in
      guard var job = state.jobs[Key(id, of: user)] else { throw Self.unknown(id) }
      guard job.received == job.size, job.hasFile else { throw Self.notNow(job) }
      switch job.stage {
      case .receiving, .ready: break
      case .failed where !isWriting: break
      default: throw Self.notNow(job)
      }
      job.stage = isWriting ? .writing : .reading
      job.read = 0
      job.isCancelled = false
      job.touched = clock.uptime
      state.jobs[Key(id, of: user)] = job
      return job
    }
    try run(job) { [self] in
      let summary = try work(job) { try onProgress($0, of: id, user) }
      return isWriting ? .done(summary) : .ready
    } after: { [self] in
      // Keep a file that could not be read, because the user may try other options.
      let path = state.withLock { state -> String? in
        guard let job = state.jobs[Key(id, of: user)], isWriting || job.isCancelled else { return nil }
        state.jobs[Key(id, of: user)]?.hasFile = false
        return job.path
      }
      if let path { unlink(path) }
    }
    return self.job(id, of: user) ?? job
  }

  func startUndo(
    _ id: String, source: String, of user: String,
    _ work: @escaping @Sendable ((Int64) throws -> Void) throws -> (removed: Int, left: Int)
  ) throws -> Job {
    let job = try state.withLock { state -> Job in
      let former = state.jobs[Key(id, of: user)]
      if let former, former.stage.isBusy { throw Self.notNow(former) }
      var job = Job(
        id: id, user: user, source: source, size: 0, path: nil, startedAt: clock.now, touched: clock.uptime)
      job.stage = .undoing
      state.jobs[Key(id, of: user)] = job
      return job
    }
    try run(job) { [self] in
      let (removed, left) = try work { try onProgress($0, of: id, user) }
      return .undone(removed: removed, left: left)
    }
    return self.job(id, of: user) ?? job
  }

  private func run(
    _ job: Job, _ body: @escaping @Sendable () throws -> Stage, after: @escaping @Sendable () -> Void = {}
  ) throws {
    let key = Key(job.id, of: job.user)
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
            "stopped", status: 409, title: "Stopped",
            detail: "the import was stopped; entries written before that are kept"))
      } catch {
        stage = .failed(
          Problem(
            "internal", status: 500, title: "Internal error",
            detail: "the import failed: \((error as? HubStorageError).map { "\($0)" } ?? "\(type(of: error))")"))
      }
      after()
      state.withLock { state in
        state.jobs[key]?.stage = stage
        state.jobs[key]?.touched = clock.uptime
      }
    }
    guard let threads else {
      _ = work.run(with: [])
      return
    }
    do {
      try threads.add(work, of: job.user, to: .writing)
    } catch {
      state.withLock { $0.jobs[key]?.stage = .failed(error) }
      throw error
    }
  }

  func notePreview(_ summary: ImportSummary, of id: String, _ user: String) {
    state.withLock { $0.jobs[Key(id, of: user)]?.preview = summary }
  }

  private func onProgress(_ read: Int64, of id: String, _ user: String) throws {
    try state.withLock { state in
      let key = Key(id, of: user)
      guard let job = state.jobs[key], !job.isCancelled, !state.isStopping else { throw CancellationError() }
      state.jobs[key]?.read = max(job.read, read)
    }
  }

  /// Deletes a file. A running job is cancelled, but stays listed with its result.
  func cancel(_ id: String, of user: String) throws {
    let path = try state.withLock { state -> String? in
      let key = Key(id, of: user)
      guard let job = state.jobs[key] else { throw Self.unknown(id) }
      guard !job.stage.isBusy else {
        state.jobs[key]?.isCancelled = true
        return nil
      }
      state.jobs[key] = nil
      return job.hasFile ? job.path : nil
    }
    if let path { unlink(path) }
  }

  private func found(_ id: String, _ user: String) throws(Problem) -> Job {
    guard let job = job(id, of: user) else { throw Self.unknown(id) }
    return job
  }

  static func unknown(_ id: String) -> Problem {
    .notFound("upload \"\(id.prefix(60))\" not found: uploads are kept for an hour; send the file again")
  }

  private static func notNow(_ job: Job) -> Problem {
    Problem(
      "import_busy", status: 409, title: "Import state conflict",
      detail:
        "the import is in state \"\(job.stage.word)\" (\(job.received) of \(job.size) bytes received) and cannot accept "
        + "this request: upload the rest, or wait until the import ends"
    )
  }
}

private struct ImportWork: StorageWork {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run(with others: ArraySlice<any StorageWork>) -> Int {
    body()
    return 0
  }
}
