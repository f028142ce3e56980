import TrendyModels
import TrendyPersistence
import TrendySync
import TrendyTesting

/// What persons of one's own do: the queue says it, as all that is reported as saved waits in it.
extension SimulationRun {
  /// What waits on a device: the texts that are followed, and what is deleted.
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

  /// An act that failed: power may have gone after its bytes were down, and then it is there all the same.
  struct Doubt {
    var text: String
    var before: Waiting
  }

  func act(
    _ person: any SimulatedUser, _ number: Int, on device: SimulatedDevice, choice: UInt64, isBeside: Bool
  ) {
    guard let process = device.process else { return }
    var generator = SeededGenerator(seed: choice)
    let hand = PersonsDevice(
      number: device.number, recorder: isBeside ? process.besideRecorder : process.recorder,
      dataStoreFactory: process.factory)
    guard let before = try? waiting(process) else {
      return tell("\(device.name): the person cannot do \(number), as the store cannot be read")
    }
    do {
      try person.act(number: number, on: hand, using: &generator)
      note(before, try waiting(process), text: "t\(number)", device.number)
      tell("\(device.name): the person does \(number)")
    } catch {
      doubts[device.number] = Doubt(text: "t\(number)", before: before)
      tell("\(device.name): the person does \(number), which fails: \(error)")
    }
  }

  private func waiting(_ process: SimulatedDevice.ProcessRun) throws -> Waiting {
    try Waiting(process.factory.makeLocalStore().fetchPendingMutations())
  }

  private func note(_ before: Waiting, _ after: Waiting, text: String, _ device: Int) {
    // What waited before the person acted, and was not given to the hub since, was written over or deleted by them.
    for (text, key) in before.texts where after.texts[text] == nil { ledger.onReplaced(key, device: device) }
    for key in after.deleted.subtracting(before.deleted) { ledger.onDelete(key, device: device, isSure: true) }
    let alive = before.deleted.subtracting(after.deleted).union(after.written.subtracting(before.written))
    for key in alive.intersection(ledger.allDeleted) { ledger.onRestored(key) }
    if before.texts[text] == nil, let key = after.texts[text] {
      ledger.onText(text, key: key, device: device, isSure: true)
    }
  }

  /// Lets go of what an act that failed has replaced all the same: its own text stands there, or it took the whole away.
  func settleDoubt(_ device: Int, _ queue: [PendingMutation], isShown: (Ledger.Key) throws -> Bool) throws {
    guard let doubt = doubts.removeValue(forKey: device) else { return }
    let now = try Waiting(queue)
    for (text, key) in doubt.before.texts where now.texts[text] == nil {
      let isWrittenOver = now.texts[doubt.text] == key
      if try isWrittenOver || now.deleted.contains(key) || !isShown(key) { ledger.onReplaced(key, device: device) }
    }
  }
}
