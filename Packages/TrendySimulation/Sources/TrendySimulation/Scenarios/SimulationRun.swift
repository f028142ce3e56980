import Foundation
import StorageTesting
import TrendyAgent
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

/// One scenario in progress.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulationRun: @unchecked Sendable {
  /// Number of actions between two checks of a store. A check is more expensive than most actions.
  private static let actionsBetweenLooks = 8

  let world: SimulationWorld
  let tellsRequests: Bool
  let seed: UInt64
  let parameters: ScenarioParameters
  let executor: SeededTaskExecutor
  let clock = ManualClock()
  let hub: SimulatedHub
  /// Custom server in place of the hub.
  let server: (any SimulatedServer)?
  let user: (any SimulatedUser)?
  /// Failed actions of custom users, by device. Their effect is unknown until the store can be read.
  var doubts: [Int: Doubt] = [:]
  private(set) var devices: [SimulatedDevice] = []
  private(set) var wires: [SimulatedLink] = []
  /// Links for companion notices, independent of sync.
  private(set) var companionWires: [SimulatedLink] = []
  private(set) var areAgents = false
  private(set) var areFaultsOver = false
  var ledger = Ledger()
  var companionLedger = CompanionLedger()
  var tracking: TrackerScenario?
  var receiver: SimulatedWebhookReceiver?
  var deliveries: [Delivery] = []
  var story: ScenarioResult
  var made: [MutationEntityType: [String]] = [:]

  init(_ simulator: SyncSimulator, seed: UInt64, executor: SeededTaskExecutor) throws {
    world = simulator.world
    tellsRequests = simulator.tellsRequests
    user = simulator.user
    self.executor = executor
    self.seed = seed
    parameters = ScenarioParameters(
      seed: seed, devices: simulator.world.devices, density: simulator.world.density(ofSeed: seed),
      hasLargeImport: simulator.world.largeImport(ofSeed: seed) != nil)
    story = ScenarioResult(seed: seed)
    var generator = SeededGenerator(seed: ~seed)
    server = try simulator.makeServer?(clock, generator.next())
    hub = try SimulatedHub(
      clock: clock, seed: generator.next(), devices: world.devices,
      hubs: server == nil ? world.hubs(ofSeed: seed) : 1, executor: executor)
    for number in 0..<world.devices {
      let wire = SimulatedLink(run: self, device: number)
      wires.append(wire)
      let companionWire = SimulatedLink(run: self, device: number)
      companionWires.append(companionWire)
      let token = hub.tokens[number]
      let account = Account(
        hub: Self.hubAddress, token: token, deviceId: hub.deviceIds[number], user: hub.user)
      let deviceClock = DeviceClock(
        clock, name: deviceName(number), tellsBoot: parameters.hasBootClock[number])
      devices.append(
        SimulatedDevice(
          number: number, clock: deviceClock, seed: generator.next(), parameters: parameters, account: account,
          makeCompanionClient: { files in
            InProcessClient(token: token, carry: { try await companionWire.send($0, $1, from: files) })
          }
        ) { [unowned self] files in
          if let server = self.server {
            FaultyClient(base: server.client(device: number), wire: wire, files: files, run: self)
          } else {
            InProcessClient(
              token: token, signals: { wire.openSignals(for: files) },
              carry: { try await wire.send($0, $1, from: files) })
          }
        })
    }
    for device in devices { try device.begin() }
    if server == nil, world.hasTrackers(seed: seed) { try beginTrackers() }
    if server == nil, world.hasWebhook(seed: seed) { try beginWebhook() }
    hub.database?.onFault = { [unowned self] in onDatabaseFault($0) }
  }

  private static let hubAddress = URL(filePath: "/hub")

  func tell(_ sentence: String) { story.trace.append(sentence) }

  func count(_ fault: String) { story.faults[fault, default: 0] += 1 }

  func restartHubIfOff() -> Bool {
    guard hub.restartIfOff() else { return false }
    for wire in wires { wire.loseSignals(isSilent: false) }
    count("hub_crash")
    tell("the hub lost power and restarts")
    return true
  }

  func carryOut(_ plan: [Action]) async {
    var generator = SeededGenerator(seed: seed &+ 1)
    var actions = 0
    await withTaskGroup(of: Void.self) { group in
      func perform(_ action: Action) async {
        await carryOut(action) { undertaking in group.addTask { await self.perform(undertaking) } }
        for _ in 0..<Int.random(in: 0..<6, using: &generator) { await Task.yield() }
        checkPower()
        await keepDelivering()
        actions += 1
        if actions.isMultiple(of: Self.actionsBetweenLooks) {
          let device = devices[actions / Self.actionsBetweenLooks % devices.count]
          checkMoment(device)
          if areAgents { checkCursor(device) }
        }
      }
      for action in plan { await perform(action) }
      tell("the faults are over")
      await endFaults()
      while devices.contains(where: { $0.rounds > 0 || $0.carries }) || tracking.map({ $0.underWay > 0 }) ?? false {
        await clock.advance(by: .seconds(60))
        checkPower()
      }
    }
    await endFaults()
  }

  enum Undertaking {
    case round(SimulatedDevice, Round)
    case carrying(SimulatedDevice)
    case post(tracker: Int, batch: Int)
    case look
  }

  private func perform(_ undertaking: Undertaking) async {
    switch undertaking {
    case .round(let device, let kind): await round(device, kind)
    case .carrying(let device): await carry(device)
    case .post(let tracker, let batch): await post(tracker: tracker, batch: batch)
    case .look: await lookThrough()
    }
  }

  enum Round {
    case plain
    case resync
    case skip
    /// Round of a second program on the store.
    case beside
  }

  /// Longest wait, one hour in milliseconds, during which the devices stay on.
  private static let longestWaitOn = 3_600_000

  func stopAgents() async {
    areAgents = false
    for device in devices { device.pause() }
    await clock.advance(by: .zero)
  }

  /// Whether the plan must not start rounds on the device, because an outage check is counting its requests.
  private func leavesAlone(_ device: Int) -> Bool { areAgents && wires[device].hasOutage }

  private func runAgents() {
    guard areAgents else { return }
    for device in devices { device.run(on: executor) }
  }

  func tellHead() {
    guard areAgents, let head = hub.head else { return }
    for wire in wires where !wire.hasOutage { wire.onHead(head) }
  }

  private func carryOut(_ action: Action, begin: (Undertaking) -> Void) async {
    switch action {
    case .edit(let number, let edit, let choice, let isBeside):
      if let user {
        act(user, edit, on: devices[number], choice: choice, isBeside: isBeside)
      } else {
        var editor = Editor(run: self, device: devices[number], choice: choice, text: "t\(edit)", isBeside: isBeside)
        editor.edit()
      }
      if isBeside { count("second_process") }
      return
    case .command(let number, let command, let choice):
      guard user == nil else { return }
      var user = CommandUser(run: self, device: devices[number], choice: choice, text: "t\(command)")
      user.act()
      return
    case .sync(let number):
      guard beginRound(number, .plain, begin) else { return }
      return
    case .wait(let milliseconds):
      let isLong = milliseconds > Self.longestWaitOn
      if isLong {
        for device in devices { device.pause() }
        await stopDelivering()
      }
      await clock.advance(by: .milliseconds(milliseconds))
      if isLong { runAgents() }
      if milliseconds > 30_000 { for wire in wires + companionWires { await wire.deliverLate() } }
    case .network(let number, let fault, let requests):
      wires[number].planned.append(SimulatedLink.Planned(fault: fault, afterRequests: requests))
    case .crash(let number, let change, let loss): devices[number].losePower(beforeChange: change, loss: loss)
    case .crashHub(let change, let loss): hub.losePower(beforeChange: change, loss: loss)
    case .fillDisk(let number, let room): devices[number].disk.setCapacity(devices[number].disk.usedBytes + room)
    case .fillHubDisk(let room): hub.fill(room: room)
    case .freeDisks: freeDisks()
    case .setClock(let number, let hours): devices[number].clock.setOffset(Double(hours) * 3600)
    case .backUpStore(let number):
      guard !devices[number].disk.isOff else { return }
      devices[number].backUp()
      ledger.onBackup(device: number)
    case .restoreStore(let number):
      guard devices[number].restoreBackup() else { return }
      ledger.onRestore(device: number)
    case .copyStore(let from, let to):
      guard !devices[from].disk.isOff else { return }
      devices[to].copy(devices[from])
      ledger.onCopy(from: from, to: to)
    case .backUpHub:
      guard hub.backUp() else { return }
      ledger.onHubBackup()
    case .restoreHub:
      guard hub.restore() else { return }
      ledger.onHubRestore()
      onHubWentBack()
    case .compactHub:
      guard !hub.isOff else { return }
      // If the hub's disk is full or off, the hub compacts later.
      while (try? hub.server.compact()) == true {}
    case .install(let number, let isOld):
      devices[number].isOld = isOld
      devices[number].restart(losing: .nothing)
      if isOld { ledger.oldDevices.insert(number) }
    case .syncByThemselves:
      areAgents = true
      runAgents()
    case .outage(let number, let seconds):
      wires[number].beginOutage(seconds: seconds)
      companionWires[number].beginOutage(seconds: seconds)
    case .loseSignals(let number, let isSilent): wires[number].loseSignals(isSilent: isSilent)
    case .limitRate(let limit, let saysWhen):
      for wire in wires { (wire.requestsPerMinute, wire.saysWhen) = (limit, saysWhen) }
    case .suspend(let number, let isOver):
      guard await suspend(devices[number], isOver: isOver) else { return }
    case .writeUnreadable(let number, let isKnownKind):
      guard server == nil, !hub.isOff else { return }
      // If the hub's disk is full, the entry is written later.
      guard
        (try? await hub.writeUnreadable(id: SimulatedHub.unreadablePrefix + "\(number)", isKnownKind: isKnownKind))
          != nil
      else { return }
      tellHead()
    case .resync(let number, let isSkip):
      guard beginRound(number, isSkip ? .skip : .resync, begin) else { return }
    case .syncBeside(let number):
      guard server == nil, beginRound(number, .beside, begin) else { return }
      ledger.hasTwoEngines = true
    case .setHubClock, .restartHub, .clearQueue, .writePlainly, .writeAsStranger, .recordMany, .lie, .pushLies,
      .limitRecord:
      guard await carryOutMore(action) else { return }
    case .makeCompanion, .tell, .carry, .companionNetwork, .crashCompanionStore:
      guard await carryOutCompanion(action, begin: { begin(.carrying($0)) }) else { return }
    case .receiver(let fault, let posts):
      guard let receiver else { return }
      receiver.planned.append(SimulatedWebhookReceiver.Planned(fault: fault, afterPosts: posts))
    case .post, .lookThrough, .touchFinding:
      guard await carryOutTracking(action, begin: begin) else { return }
    case .database, .restartDatabase, .letStandbyFallBehind, .failOver:
      guard carryOutDatabase(action) else { return }
    }
    tell("\(action)")
    noteFault(action)
  }

  /// Begins a round, unless two are running on the device. Returns whether it began.
  private func beginRound(_ number: Int, _ round: Round, _ begin: (Undertaking) -> Void) -> Bool {
    let device = devices[number]
    guard device.rounds < 2, device.process != nil, !leavesAlone(number) else { return false }
    if round == .plain { tell("\(deviceName(number)) begins a round") }
    device.rounds += 1
    begin(.round(device, round))
    return true
  }

  private func noteFault(_ action: Action) {
    switch action {
    case .setClock, .fillDisk, .fillHubDisk, .restoreStore, .copyStore, .restoreHub, .compactHub, .install, .outage,
      .loseSignals, .limitRate, .suspend, .writeUnreadable, .resync, .setHubClock, .restartHub, .clearQueue,
      .syncBeside,
      .writePlainly, .writeAsStranger, .recordMany, .pushLies, .makeCompanion, .tell, .restartDatabase,
      .post, .touchFinding, .limitRecord:
      if let kind = action.faultKind { count(kind) }
    default: break
    }
  }

  private func round(_ device: SimulatedDevice, _ kind: Round) async {
    guard let process = device.process else {
      device.rounds -= 1
      return
    }
    let requests = wires[device.number].requests
    let (wasSuspended, suspensions) = (device.isSuspended, device.suspensionChanges)
    let engine = kind == .beside ? process.besideEngine : process.engine
    var error: (any Error)?
    switch kind {
    case .plain, .beside: await engine.performSync()
    case .resync: await process.engine.forceFullResync()
    case .skip: do { _ = try await process.engine.skipToLatestCursor() } catch let thrown { error = thrown }
    }
    device.rounds -= 1
    let isSameProcess = device.process?.engine === process.engine
    if isSameProcess {
      // A skip reports its error by throwing it.
      let failure: (any Error)? = if kind == .skip { error } else { await engine.lastFailure }
      let isRefused = wasSuspended || device.suspensionChanges != suspensions
      if failure == nil, !isRefused, wires[device.number].requests == requests {
        ledger.report(
          .oneSyncPerStore, "\(device.name) reported a successful sync without any request")
      }
      tell("  \(device.name)'s round ended: \(failure.map { "\($0)" } ?? "success")")
      checkCursor(device)
      checkMoment(device)
    }
  }

  /// - Returns: Whether the app changed its state.
  private func suspend(_ device: SimulatedDevice, isOver: Bool) async -> Bool {
    guard let process = device.process, device.isSuspended == isOver else { return false }
    device.suspensionChanges += 1
    guard !isOver else {
      await process.engine.resume()
      return true
    }
    await process.engine.suspend()
    guard !ledger.hasTwoEngines else { return true }
    do {
      if try process.factory.lockForSync() == nil {
        ledger.report(.oneSyncPerStore, "the suspended app on \(device.name) holds the store's lock")
      }
    } catch {
      // A failing disk proves nothing about the lock.
    }
    return true
  }

  /// Whether a device has pending mutations, or its store cannot be read.
  func hasWaiting(_ device: Int) -> Bool {
    guard let store = devices[device].process?.factory.makeLocalStore(), let counts = try? store.syncCounts() else {
      return true
    }
    return counts.pending > 0
  }

  private func freeDisks() {
    for device in devices { device.disk.setCapacity(nil) }
    hub.free()
  }

  private func endFaults() async {
    areFaultsOver = true
    for device in devices { _ = await suspend(device, isOver: true) }
    freeDisks()
    for wire in wires + companionWires {
      wire.planned = []
      wire.lies = []
      wire.endOutage()
      // While the devices sync automatically, a rate limit stays: the backlog must drain under any limit.
      if !areAgents { wire.requestsPerMinute = nil }
    }
    for device in devices {
      device.keepPower()
      device.clock.setOffset(0)
    }
    hub.clock.setOffset(0)
    hub.endFaults()
    _ = restartHubIfOff()
    if server == nil, world.isLimited(seed: seed), !hub.limit(room: nil) {
      ledger.report(nil, "the hub does not remove a limit after the last fault")
    }
    checkPower()
  }

  private func checkPower() {
    for device in devices {
      if device.restartIfOff() {
        count("device_crash")
        tell("\(device.name) lost power and restarts")
      }
      guard device.process == nil else { continue }
      do throws(StorageError) {
        try device.begin()
        runAgents()
        check(device)
      } catch .diskFull {
        // The device starts once there is space again.
      } catch {
        // Power failed during the start. The next check restarts the device.
        if !device.disk.isOff {
          ledger.report(.savedDataIsDurable, "\(device.name)'s store cannot be opened after a power failure: \(error)")
        }
      }
    }
  }
}
