import Foundation
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

#if canImport(Glibc)
  import Glibc
#endif

@Suite("An agent's receivers", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReceiverTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init", store: "phone")
  }

  @Test func `an hour of one fix per second causes no sync until the drive ends as one trip`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)
    let agent = try Running(
      bench, "trendyd",
      ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1d", "--ingest", "127.0.0.1:0"])
    defer { agent.stop() }
    let url = try agent.ingestURL()
    let secret = try bench.ingestToken("phone")
    func requests() -> Int { hub.log.split(separator: "\n").count { $0.contains("/api/v1/") } }
    // Waits until the agent has synced after reading the existing data.
    let isIdle = try eventually {
      try bench.trendy("sync", "status", "--json", store: "phone").document.objectValue?["sync"]?.objectValue?[
        "waiting"] == 0 && requests() > 0 ? true : nil
    }
    try #require(isIdle == true, "\(agent.text)")
    try #require(try bench.trendy("sync", store: "phone").status == 0)

    // Post half an hour of driving and half an hour without movement, up to a minute ago. Post each position in a
    // separate request.
    let end = Date().timeIntervalSince1970.rounded() - 60
    func post(_ seconds: ClosedRange<Int>) throws {
      let lines = seconds.map { second in
        let latitude = 52 + Double(min(second, 1800)) * 12 / 111_250
        return "url = \"\(url)/gpslogger?lat=\(latitude)&lon=4&acc=5&timestamp=\(Int(end) - 3600 + second)\""
      }
      let file = bench.folder.appending(path: "fixes-\(seconds.lowerBound)")
      try Data((["header = \"Authorization: Bearer \(secret)\""] + lines).joined(separator: "\n").utf8).write(to: file)
      let posted = try bench.shell("curl -sf --config '\(file.path)' | wc -c")
      try #require(posted.status == 0, "\(posted.talk)")
    }
    let before = requests()
    try post(0...1800)
    // Although the store has hardly changed, the status shows the whole trip.
    let isShown = try eventually {
      let status = try bench.run("trendyd", ["status", "--json", "--store", bench.store("phone")]).document.objectValue
      return status?["trip"]?.objectValue?["distance_m"]?.doubleValue ?? 0 > 21_000 ? true : nil
    }
    #expect(isShown == true, "\(agent.text)")
    let driving = requests()
    #expect(driving - before <= 4, "\(driving - before) requests for 1801 fixes: \(hub.log.suffix(2000))")
    try post(1801...3600)
    // The end of the trip, five minutes after the last movement, is synced once.
    let isTold = try eventually { requests() > driving ? true : nil }
    #expect(isTold == true, "\(agent.text)")
    let after = requests()
    #expect(after - driving <= 8, "\(after - driving) requests for 1800 fixes: \(hub.log.suffix(2000))")
    try bench.trendy("init", store: "laptop")
    try #require(try bench.trendy("connect", hub.url, hub.code(), store: "laptop").status == 0)
    let list = try eventually {
      try #require(try bench.trendy("sync", store: "laptop").status == 0)
      let list = try bench.trendy("trip", "list", "--json", store: "laptop").document.objectValue?["trips"]
      return list?.arrayValue?.isEmpty == false ? list?.arrayValue : nil
    }
    #expect(list?.count == 1)
    #expect(abs((list?.first?.objectValue?["distance_m"]?.doubleValue ?? 0) - 21_600) < 300)
  }

  private func trips() throws -> [[String: JSONValue]] {
    let list = try bench.trendy("trip", "list", "--json", "--utc", store: "phone").document.objectValue?["trips"]
    return (list?.arrayValue ?? []).compactMap(\.objectValue)
  }

  /// Returns the timestamps of the receiver's positions in the track log.
  private func kept() throws -> Set<Date> {
    let folder = URL(filePath: bench.store("phone")).appending(path: "tracks")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    var times: Set<Date> = []
    try TrackLog(directory: folder).forEach(device: "nmea", after: .distantPast, through: nil) { reading in
      if case .fix(let fix) = reading { times.insert(fix.timestamp) }
    }
    return times
  }

  @Test func `a serial receiver is configured, read in partial lines, and reopened after it was unplugged`() throws {
    let fixes = try IngestTests.drive()
    let sentences = IngestTests.nmea(fixes).split(separator: "\r\n").map { $0 + "\r\n" }
    let times = fixes.map(\.time)
    try #require(sentences.count == fixes.count && Set(times).count == times.count)
    let path = bench.folder.appending(path: "gps").path
    var device = try SerialDevice(linkedAt: path)
    let agent = try Running(
      bench, "trendyd",
      ["run", "--role", "agent", "--store", bench.store("phone"), "--nmea", "\(path)@4800", "--poll", "1d"])
    defer { agent.stop() }
    func ready(_ device: SerialDevice) throws {
      let isSet = try eventually { device.speed == speed_t(B4800) ? true : nil }
      try #require(isSet == true, "\(agent.text)")
      #expect(device.isRaw, "bytes come as they are sent")
    }
    // A position is stored only when the next sentence is complete, because that sentence may belong to the same
    // second.
    func wait(for time: Date) throws {
      try #require(try eventually { try kept().contains(time) ? true : nil } == true, "\(agent.text)")
    }
    try ready(device)
    let half = sentences.count / 2
    // Start with the end of a sentence, as when a receiver is plugged in, and split another sentence into two parts.
    try device.send(sentences[0].suffix(20) + sentences[..<half].joined() + sentences[half].prefix(30))
    try wait(for: times[half - 2])
    try device.send(sentences[half].dropFirst(30))
    // The receiver is unplugged in the middle of a sentence, which is lost and must not corrupt the next one.
    try device.send(sentences[half + 1].prefix(40))
    try wait(for: times[half - 1])
    device.vanish()
    device = try SerialDevice(linkedAt: path)
    try ready(device)
    try device.send(sentences[(half + 2)...].joined())
    try wait(for: times[times.count - 2])
    // The drive is years in the past, so its end is detected immediately.
    let found = try eventually {
      try trips().first { abs(($0["distance_m"]?.doubleValue ?? 0) - 7448) < 7448 * 0.03 }
    }
    #expect(found != nil, "\(agent.text)")
    #expect(try trips().count == 1)
    device.vanish()
    try wait(for: times[times.count - 1])
    agent.stop()
    #expect(agent.process.terminationStatus == 0)
    #expect(try kept() == Set(times).subtracting([times[half + 1]]))
  }

  @Test func `an unsupported baud rate and a missing device are rejected`() throws {
    let device = try SerialDevice(linkedAt: bench.folder.appending(path: "gps").path)
    defer { device.vanish() }
    func run(_ path: String) throws -> Workbench.Result {
      try bench.run("trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--nmea", path])
    }
    let odd = try run("\(bench.folder.path)/gps@4801")
    #expect(odd.status == 64 && odd.talk.contains("4800, 9600"), "\(odd.talk)")
    let none = try run("\(bench.folder.path)/none@4800")
    #expect(none.status == 66 && none.talk.contains("Cannot open"), "\(none.talk)")
  }
}

/// The receiver's end of a serial line. While it is plugged in, a symbolic link refers to the agent's end.
final class SerialDevice {
  private let path: String
  private let receiver: Int32
  /// Agent's end of the line, kept open to read its settings.
  private let line: Int32

  init(linkedAt path: String) throws {
    self.path = path
    receiver = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var (isLocked, number): (Int32, UInt32) = (0, 0)
    // The ioctl requests TIOCSPTLCK and TIOCGPTN, which are not imported into Swift, have the same effect as unlockpt
    // and ptsname.
    guard receiver >= 0, ioctl(receiver, 0x4004_5431, &isLocked) == 0, ioctl(receiver, 0x8004_5430, &number) == 0 else {
      throw BenchError("no pseudo-terminal")
    }
    let device = "/dev/pts/\(number)"
    line = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard line >= 0 else { throw BenchError("\(device) cannot be opened") }
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: device)
  }

  private var settings: termios {
    var settings = termios()
    tcgetattr(line, &settings)
    return settings
  }

  var speed: speed_t {
    var settings = settings
    return cfgetispeed(&settings)
  }

  /// Whether the line is in raw mode: no line editing, echo or translation of line endings.
  var isRaw: Bool {
    let settings = settings
    return settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0 && settings.c_iflag & tcflag_t(ICRNL | IXON) == 0
  }

  func send(_ text: some StringProtocol) throws {
    var rest = Array(text.utf8)[...]
    let isSent = try eventually { () -> Bool? in
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(receiver, $0.baseAddress, min($0.count, 1024)) }
        guard count > 0 || errno == EAGAIN else { throw BenchError("cannot write to the line: \(errno)") }
        guard count > 0 else { return nil }
        rest = rest.dropFirst(count)
      }
      return true
    }
    guard isSent == true else { throw BenchError("nobody reads the line") }
  }

  /// Unplugs the receiver.
  func vanish() {
    try? FileManager.default.removeItem(atPath: path)  // it may not exist
    close(line)
    close(receiver)
  }
}

extension Running {
  /// Waits until the agent listens for trackers and returns its address.
  func ingestURL() throws -> String {
    try #require(
      try eventually {
        guard process.isRunning else { throw BenchError(text) }
        guard let start = text.firstRange(of: "post to ")?.upperBound else { return nil }
        return text[start...].split(separator: " ").first.map(String.init)
      })
  }
}

extension Workbench {
  func ingestToken(_ store: String) throws -> String {
    try String(contentsOf: URL(filePath: self.store(store)).appending(path: "ingest-token"), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
