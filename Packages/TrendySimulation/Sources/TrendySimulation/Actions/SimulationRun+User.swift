import TrendyModels
import TrendyPersistence
import TrendySync
import TrendyTesting

// MARK: Custom users: their changes are read from the queue, which contains every acknowledged save
extension SimulationRun {
  /// Pending changes of a device: tracked texts and deletions.
  struct Waiting {
    var texts: [String: Ledger.Key] = [:]
    var written: Set<Ledger.Key> = []
    var deleted: Set<Ledger.Key> = []

    init(_ mutations: [PendingMutation]) throws {
      for mutation in mutations {
        let key = Ledger.Key(kind: mutation.entityType, id: mutation.entityId)
        if mutation.operation == .delete { deleted.insert(key) } else { written.insert(key) }
        if mutation.payload.isEmpty { continue }
        let payload = try WireJSON.decode([String: JSONValue].self, from: mutation.payload)
        for text in MutationEnvelope.texts(of: payload) { texts[text] = key }
      }
    }
  }

  /// Failed action whose changes may nevertheless be durable.
  struct Doubt {
    var text: String
    var before: Waiting
  }

  func act(
    _ user: any SimulatedUser, _ number: Int, on device: SimulatedDevice, choice: UInt64, isBeside: Bool
  ) {
    guard let process = device.process else { return }
    var generator = SeededGenerator(seed: choice)
    let hand = UserDevice(
      number: device.number, recorder: isBeside ? process.besideRecorder : process.recorder,
      dataStoreFactory: process.factory)
    guard let before = try? waiting(process) else {
      return tell("\(device.name): the user cannot perform \(number) because the store cannot be read")
    }
    do {
      try user.act(number: number, on: hand, using: &generator)
      note(before, try waiting(process), text: "t\(number)", device.number)
      tell("\(device.name): the user performs \(number)")
    } catch {
      doubts[device.number] = Doubt(text: "t\(number)", before: before)
      tell("\(device.name): the user performs \(number), which fails: \(error)")
    }
  }

  private func waiting(_ process: SimulatedDevice.ProcessRun) throws -> Waiting {
    try Waiting(process.factory.makeLocalStore().fetchPendingMutations())
  }

  private func note(_ before: Waiting, _ after: Waiting, text: String, _ device: Int) {
    // If a pending text disappeared without being sent, the user replaced or deleted it.
    for (text, key) in before.texts where after.texts[text] == nil { ledger.onReplaced(key, device: device) }
    for key in after.deleted.subtracting(before.deleted) { ledger.onDelete(key, device: device, isSure: true) }
    let alive = before.deleted.subtracting(after.deleted).union(after.written.subtracting(before.written))
    for key in alive.intersection(ledger.allDeleted) { ledger.onRestored(key) }
    if before.texts[text] == nil, let key = after.texts[text] {
      ledger.onText(text, key: key, device: device, isSure: true)
    }
  }

  /// Determines whether a failed action took effect: its text is visible, or the entity is gone.
  func settleDoubt(_ device: Int, _ queue: [PendingMutation], isShown: (Ledger.Key) throws -> Bool) throws {
    guard let doubt = doubts.removeValue(forKey: device) else { return }
    let now = try Waiting(queue)
    for (text, key) in doubt.before.texts where now.texts[text] == nil {
      let isWrittenOver = now.texts[doubt.text] == key
      if try isWrittenOver || now.deleted.contains(key) || !isShown(key) { ledger.onReplaced(key, device: device) }
    }
  }
}
