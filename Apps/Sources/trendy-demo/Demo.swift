import Foundation
import TrendyInterchange
import TrendyModels
import TrendyTrips

/// End-to-end demonstration with the actual programs.
///
/// A phone records entries offline, a hub receives them, and a laptop shows them. Each step prints the result that it
/// has read back. An unexpected result ends the program with status 1.
@main
struct Demo {
  private let folder: URL
  private let drive: URL
  private let isHubLying: Bool
  /// Whether the hub keeps running at the end until a line is entered, so that the user can open it in a browser.
  private let isStaying: Bool
  private let trendy: Program
  private let trendyd: Program

  static func main() {
    var drive = "Samples/drive.gpx"
    var isHubLying = false
    var isStaying = isatty(STDIN_FILENO) == 1
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      switch word {
      case "--drive": drive = words.popFirst() ?? drive
      case "--lying-hub": isHubLying = true
      case "--stay": isStaying = true
      default:
        print("Usage: trendy-demo [--drive FILE.gpx] [--lying-hub] [--stay]")
        exit(word == "--help" ? 0 : 64)
      }
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-demo-\(getpid())")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let demo = try Demo(
        folder: folder, drive: URL(filePath: drive), isHubLying: isHubLying, isStaying: isStaying)
      try demo.run()
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("\nFAILED: \(error)")
      // The folder is deleted even after a failure, because the logs have already been printed.
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
  }

  private init(folder: URL, drive: URL, isHubLying: Bool, isStaying: Bool) throws {
    self.folder = folder
    self.drive = drive
    self.isHubLying = isHubLying
    self.isStaying = isStaying
    trendy = try Program("trendy")
    trendyd = try Program("trendyd")
  }

  private func run() throws {
    var processes: [Process] = []
    defer { for process in processes where process.isRunning { stop(process) } }
    let phone = Device(name: "phone", store: folder.appending(path: "phone"), trendy: trendy)
    let laptop = Device(name: "laptop", store: folder.appending(path: "laptop"), trendy: trendy)

    step("A phone with no network records a morning")
    let coffee = try recordMorning(phone)
    let fileLength = try importDrive(phone)
    let waiting = try phone.command("sync", "status")["sync"]?["waiting"]?.intValue ?? 0
    try check(waiting > 0, "the recorded entries are not pending")
    say("\(waiting) changes are pending on the phone; nothing has been sent.")

    step("A hub starts on this machine")
    let hubStore = folder.appending(path: "hub")
    let initialised = try hub("hub", "init", "--data", hubStore.path, "--name", "demo")
    let phoneCode = try text(initialised["code"], "a pairing code")
    var hubProcess = try trendyd.start(
      ["run", "--role", "hub", "--data", hubStore.path, "--listen", "127.0.0.1:0", "--json"],
      log: folder.appending(path: "hub.log"))
    processes.append(hubProcess)
    let address = try address(from: folder.appending(path: "hub.log"), of: hubProcess)
    say("It is listening at \(address); its data is in \(hubStore.lastPathComponent)/ in a temporary folder.")

    step("The phone is paired and uploads everything")
    try phone.command("connect", address, phoneCode, "--name", "phone")
    let agent = try trendyd.start(
      ["run", "--role", "agent", "--store", phone.store.path, "--poll", "1s", "--json"],
      log: folder.appending(path: "agent.log"))
    processes.append(agent)
    try checkWaiting(phone, isZero: true)
    say("The agent of the phone is now running; nothing is pending.")

    step("A laptop is paired and shows the same timeline")
    let laptopCode = try text(hub("pair", "--data", hubStore.path)["code"], "a pairing code")
    var laptopAddress = address
    if isHubLying {
      let proxy = try TamperingProxy(hubPort: port(of: address), replacing: "oat milk", with: "cow milk")
      laptopAddress = "http://127.0.0.1:\(proxy.port)"
    }
    try laptop.command("connect", laptopAddress, laptopCode, "--name", "laptop")
    let onPhone = try phone.timeline()
    try check(onPhone.count >= 5, "the phone's timeline is too short: \(onPhone.count) events")
    try checkSame(phone, laptop)
    say("\(onPhone.count) events on the phone and the same \(onPhone.count) on the laptop, identical in every field.")
    try checkTrip(on: laptop, fileLength: fileLength)

    step("An event deleted on the laptop stays deleted on the phone")
    try laptop.command("rm", coffee)
    try laptop.command("sync", "now")
    try eventually("the deleted coffee is gone from the phone") {
      try phone.attempt(["show", coffee]).status == 66
    }
    say("Deleted on the phone: 'trendy show' does not find it.")
    try phone.command("import", "gpx", drive.path)
    try checkSame(phone, laptop)
    say("Imported the same drive again on the phone: no duplicates, and nothing reappeared.")

    step("The hub is down, and both devices keep working")
    stop(hubProcess)
    let late = try text(phone.command("log", "journal", "-n", "written without a hub")["event"]?["id"], "an id")
    let failed = try laptop.attempt(["sync", "now"])
    try check(failed.status == 69, "a sync without a hub ended with \(failed.status), not 69: \(failed.talk)")
    let words = (try WireJSON.decode(JSONValue.self, from: Data(failed.talk.utf8)))["error"]?["message"]?.stringValue
    say("The laptop reports: \(words ?? failed.talk)")
    try checkWaiting(phone, isZero: false)
    say("The phone recorded an entry meanwhile; it is pending.")

    step("The hub is back")
    hubProcess = try trendyd.start(
      ["run", "--role", "hub", "--data", hubStore.path, "--listen", "127.0.0.1:\(port(of: address))", "--json"],
      log: folder.appending(path: "hub2.log"))
    processes.append(hubProcess)
    _ = try self.address(from: folder.appending(path: "hub2.log"), of: hubProcess)
    try checkWaiting(phone, isZero: true)
    try laptop.command("sync", "now")
    try check(try laptop.attempt(["show", late]).status == 0, "the late entry did not reach the laptop")
    try check(try laptop.attempt(["show", coffee]).status == 66, "the deleted coffee reappeared on the laptop")
    try checkSame(phone, laptop)
    let events = try laptop.timeline()
    say(
      "The late entry is on the laptop, the coffee is still deleted, and both have the same \(events.count) events:\n")
    for event in events.reversed() { show(event) }
    print("\nNothing lost, no duplicates, nothing reappeared.")
    try showPages(at: address, of: hubStore)
  }
}

// MARK: Steps

extension Demo {
  /// Records the events of a morning.
  /// - Returns: id of the coffee event that a later step deletes.
  private func recordMorning(_ phone: Device) throws -> String {
    try phone.command("init")
    let coffee = try phone.command("log", "coffee", "2", "size=large", "--at", "2014-11-18 08:30", "-n", "oat milk")
    try phone.command("log", "mood", "4", "--at", "2014-11-18 08:45")
    try phone.command("log", "coffee", "1", "size=small", "--at", "2014-11-18 10:30", "-n", "with oat milk again")
    let shown = try phone.command("show", text(coffee["event"]?["id"], "an id"))
    say("Read back from its store: \(line(shown["event"] ?? .null))")
    return try text(coffee["event"]?["id"], "an id")
  }

  /// Imports the track of a drive.
  /// - Returns: length of the track in metres.
  private func importDrive(_ phone: Device) throws -> Double {
    let file = try TrackFile(reading: [UInt8](Data(contentsOf: drive)))
    let points = file.points
    guard let first = points.first?.coordinate, let last = points.last?.coordinate else {
      throw DemoError("\(drive.path) has no points")
    }
    let length = file.lengthMeters(using: Geodesic.distanceMeters(from:to:))
    try phone.command("place", "add", "home", "\(first.latitude),\(first.longitude)", "--radius", "150")
    try phone.command("place", "add", "office", "\(last.latitude),\(last.longitude)", "--radius", "150")
    let imported = try phone.command("import", "gpx", drive.path)
    say("Imported a drive of \(points.count) positions, \(kilometres(length)) along the points of the file.")
    let trips = imported["trips"]?["new"]?.intValue
    let visits = imported["visits"]?["new"]?.intValue
    try check(trips == 1, "the drive became \(trips ?? 0) trips, not one")
    try check(visits == 2, "the drive made \(visits ?? 0) visits, not two: home and office")
    try checkTrip(on: phone, fileLength: length)
    say("Two visits: one at home, one at the office.")
    return length
  }

  private func checkTrip(on device: Device, fileLength: Double) throws {
    let trips = try device.command("trip", "list")["trips"]?.arrayValue ?? []
    try check(trips.count == 1, "the \(device.name) has \(trips.count) trips, not one")
    let distance = trips[0]["distance_m"]?.doubleValue ?? 0
    let difference = abs(distance - fileLength) / fileLength
    try check(
      difference < 0.02,
      "the trip is \(kilometres(distance)) long, but the track in the file is \(kilometres(fileLength)) long")
    let seconds = trips[0]["duration_s"]?.doubleValue ?? 0
    say(
      "One trip on the \(device.name): \(kilometres(distance)) in \(Int(seconds / 60)) min, "
        + "\(percent(difference)) difference from the track in the file.")
  }

  /// Prints the URL to open in a browser and, on a terminal, keeps the hub running until a line is entered.
  private func showPages(at address: String, of hubStore: URL) throws {
    guard isStaying else {
      print("\nTo try Trendy with your own data, run 'make run' and open http://127.0.0.1:8787/")
      return
    }
    let code = try text(hub("pair", "--data", hubStore.path)["code"], "a pairing code")
    print(
      """

      Open this morning in a browser:  \(address)/timeline/2014-11-18
      Pairing code:                    \(code)
      Press Return to stop the hub and delete all demo data.
      """)
    fflush(nil)
    _ = readLine()
  }

  private func checkWaiting(_ device: Device, isZero: Bool) throws {
    try eventually("the \(device.name)'s queue is \(isZero ? "empty" : "not empty")") {
      let waiting = try device.command("sync", "status")["sync"]?["waiting"]?.intValue
      return isZero ? waiting == 0 : (waiting ?? 0) > 0
    }
  }

  private func checkSame(_ phone: Device, _ laptop: Device) throws {
    try eventually("the timelines of phone and laptop are the same") {
      try laptop.command("sync", "now")
      return try phone.timeline() == laptop.timeline()
    }
  }
}

// MARK: Tools

extension Demo {
  private func step(_ title: String) { print("\n\(title)") }
  private func say(_ line: String) { print("  \(line)") }

  private func check(_ isRight: Bool, _ wrong: @autoclosure () -> String) throws {
    if !isRight { throw DemoError(wrong()) }
  }

  /// Evaluates a condition repeatedly until it holds. Fails after 20 seconds.
  private func eventually(_ claim: String, _ holds: () throws -> Bool) throws {
    for _ in 0..<100 {
      if try holds() { return }
      Thread.sleep(forTimeInterval: 0.2)
    }
    throw DemoError("timed out: \(claim)")
  }

  private func hub(_ words: String...) throws -> JSONValue {
    let result = try trendyd.run(words + ["--json"])
    guard result.status == 0 else {
      throw DemoError("'trendyd \(words.joined(separator: " "))' ended with \(result.status): \(result.talk)")
    }
    return try WireJSON.decode(JSONValue.self, from: result.output)
  }

  /// Parses the hub's URL from the first line of its log.
  private func address(from log: URL, of process: Process) throws -> String {
    var address: String?
    try eventually("the hub reports its address") {
      let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
      guard process.isRunning else { throw DemoError("the hub stopped immediately: \(text)") }
      guard let end = text.firstIndex(of: "\n") else { return false }
      address = try WireJSON.decode(JSONValue.self, from: Data(text[..<end].utf8))["url"]?.stringValue
      return address != nil
    }
    return address ?? ""
  }

  private func port(of address: String) throws -> UInt16 {
    guard let text = address.split(separator: ":").last, let port = UInt16(text) else {
      throw DemoError("'\(address)' has no port")
    }
    return port
  }

  private func stop(_ process: Process) {
    process.terminate()
    process.waitUntilExit()
  }

  private func text(_ value: JSONValue?, _ what: String) throws -> String {
    guard let text = value?.stringValue else { throw DemoError("a command did not print \(what)") }
    return text
  }

  private func line(_ event: JSONValue) -> String {
    let properties = (event["properties"]?.objectValue ?? [:]).filter { $0.key != "route" }
      .sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value["value"].map(plain) ?? "")" }
    let parts =
      [event["timestamp"]?.stringValue ?? "", event["event_type"]?["name"]?.stringValue ?? ""] + properties
      + [event["notes"]?.stringValue.map { "\"\($0)\"" } ?? ""]
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private func plain(_ value: JSONValue) -> String {
    if let text = value.stringValue { return text }
    if let whole = value.intValue { return "\(whole)" }
    return value.doubleValue.map { "\(($0 * 10).rounded() / 10)" } ?? ""
  }

  private func show(_ event: JSONValue) { print("    \(line(event))") }

  private func kilometres(_ metres: Double) -> String { "\((metres / 10).rounded() / 100) km" }

  private func percent(_ share: Double) -> String { "\((share * 10_000).rounded() / 100) %" }
}
