#!/usr/bin/env python3
"""Runs a workload of TRACE.md on a peer of this library, and prints one line of JSON.

    peer.py loro|yrs w1...w9 DIRECTORY

Needs the packages loro and pycrdt. The native objects of pycrdt are called, without its wrappers; handles of the
anchors' maps are kept, which is generous. What Python takes for a call and its loop is part of the times.
"""
import ctypes
import gc
import json
import struct
import sys
import time
import uuid

CREATE, TRANSFORM, METADATA, DELETE = 1, 2, 3, 4


def read(directory, name, most=None):
    """The records of a trace, as tuples: code, replica, id, then what the code asks for."""
    with open(f"{directory}/{name}.bin", "rb") as file:
        data = file.read()
    magic, version, count, _ = struct.unpack_from("<8sIIQ", data)
    if magic != b"ARTRACE1" or version != 1:
        sys.exit(f"peer.py: {name}.bin is no trace of the form ARTRACE1, version 1")
    names, records, place = {}, [], 24

    def field():
        nonlocal place
        end = place + 1 + data[place]
        key = sys.intern(data[place + 1 : end].decode())
        if data[end] == 2:
            place = end + 9
            return key, struct.unpack_from("<q", data, end + 1)[0]
        (length,) = struct.unpack_from("<H", data, end + 1)
        place = end + 3 + length
        return key, data[end + 3 : place].decode()

    for _ in range(count if most is None else min(most, count)):
        code, replica, key = data[place], data[place + 1], data[place + 2 : place + 18]
        if key not in names:
            names[key] = str(uuid.UUID(bytes=key))
        name = names[key]
        place += 18
        record = (code, replica, name)
        if code in (CREATE, TRANSFORM):
            record += (data[place : place + 64],)
            place += 64
        if code == CREATE:
            fields = data[place]
            place += 1
            record += ([field() for _ in range(fields)],)
        if code == METADATA:
            record += field()
        records.append(record)
    return records


class Loro:
    def __init__(self, peer):
        import loro

        self.loro, self.handles = loro, {}
        self.doc = loro.LoroDoc()
        self.doc.peer_id = peer
        self.root = self.doc.get_map("anchors")

    def edit(self, record):
        code, handles = record[0], self.handles
        if code == TRANSFORM:
            handles[record[2]].insert("t", record[3])
        elif code == METADATA:
            handles[record[2]].insert(record[3], record[4])
        elif code == CREATE:
            anchor = self.root.insert_container(record[2], self.loro.LoroMap())
            handles[record[2]] = anchor
            anchor.insert("t", record[3])
            for key, value in record[4]:
                anchor.insert(key, value)
        else:
            self.root.delete(record[2])
            del handles[record[2]]

    def run(self, records):
        edit, commit = self.edit, self.doc.commit
        for record in records:
            edit(record)
            commit()

    def version(self):
        return self.doc.oplog_vv

    def delta(self, version):
        return self.doc.export(self.loro.ExportMode.Updates(version))

    def snapshot(self):
        return self.doc.export(self.loro.ExportMode.Snapshot())

    def take(self, update):
        self.doc.import_(update)

    def bind(self, names):
        for name in names:
            self.handles[name] = self.root.get(name).container

    def value(self):
        return self.doc.get_deep_value()["anchors"]

    def live(self, other, records):
        updates, count = [], 0
        held = self.doc.subscribe_local_update(lambda update: updates.append(update) or True)
        for record in records:
            self.edit(record)
            self.doc.commit()
            for update in updates:
                count += len(update)
                other.take(update)
            updates.clear()
        held.unsubscribe()
        return count


class Yrs:
    def __init__(self, peer):
        from pycrdt import Doc, Map

        self.handles = {}
        self.wrapper = Doc(client_id=peer)
        self.map = self.wrapper.get("anchors", type=Map)
        self.doc, self.root = self.wrapper._doc, self.map.integrated

    def edit(self, record, transaction):
        code, handles = record[0], self.handles
        if code == TRANSFORM:
            handles[record[2]].insert(transaction, "t", record[3])
        elif code == METADATA:
            handles[record[2]].insert(transaction, record[3], record[4])
        elif code == CREATE:
            anchor = self.root.insert_map_prelim(transaction, record[2])
            handles[record[2]] = anchor
            anchor.insert(transaction, "t", record[3])
            for key, value in record[4]:
                anchor.insert(transaction, key, value)
        else:
            self.root.remove(transaction, record[2])
            del handles[record[2]]

    def run(self, records):
        edit, begin = self.edit, self.doc.create_transaction
        for record in records:
            transaction = begin()
            edit(record, transaction)
            transaction.commit()
            transaction.drop()

    def ask(self, question):
        transaction = self.doc.create_transaction()
        answer = question(transaction)
        transaction.drop()
        return answer

    def version(self):
        return self.ask(self.doc.get_state)

    def delta(self, version):
        return self.ask(lambda transaction: self.doc.get_update(transaction, version))

    def snapshot(self):
        return self.delta(b"\x00")

    def take(self, update):
        transaction = self.doc.create_transaction()
        self.doc.apply_update(transaction, update)
        transaction.commit()
        transaction.drop()

    def bind(self, names):
        self.ask(lambda transaction: self.handles.update(
            {name: self.root.get(transaction, name) for name in names}))

    def value(self):
        return self.map.to_py()

    def live(self, other, records):
        updates, count = [], 0
        held = self.doc.observe(lambda event: updates.append(event.update))
        for record in records:
            transaction = self.doc.create_transaction()
            self.edit(record, transaction)
            transaction.commit()
            transaction.drop()
            for update in updates:
                count += len(update)
                other.take(update)
            updates.clear()
        held.drop()
        return count


class Workloads:
    def __init__(self, peer, directory):
        self.peer, self.directory, self.figures = peer, directory, {}

    def read(self, name, most=None):
        return read(self.directory, name, most)

    def time(self, name, work, *arguments):
        """By the monotonic clock as NAME_s, and of the processor as NAME_cpu_s."""
        start, processor = time.perf_counter(), time.process_time()
        result = work(*arguments)
        self.figures[name + "_s"] = time.perf_counter() - start
        self.figures[name + "_cpu_s"] = time.process_time() - processor
        return result

    def check(self, first, second):
        if first.value() != second.value():
            sys.exit("peer.py: the replicas differ")

    def based(self, records, *peers):
        """A replica that ran the records, and others that were given all of it."""
        replicas = [self.peer(1)]
        replicas[0].run(records)
        for peer in peers:
            replicas.append(self.peer(peer))
            replicas[-1].take(replicas[0].snapshot())
            replicas[-1].value()
        return replicas

    def w1(self):
        self.time("each", self.peer(1).run, self.read("w1"))

    def edits(self, name):
        (replica,) = self.based(self.read("w1"))
        self.time("each", replica.run, self.read(name))

    def w2(self):
        self.edits("w2")

    def w3(self):
        self.edits("w3")

    def w4(self):
        replica = self.peer(1)
        for name, files in (("w1", ["w1"]), ("all", ["w2", "w3"])):
            for file in files:
                replica.run(self.read(file))
            snapshot = self.time(f"{name}_snapshot_enc", replica.snapshot)
            self.time(f"{name}_snapshot_enc2", replica.snapshot)
            self.figures[f"{name}_snapshot_bytes"] = len(snapshot)
            other = self.peer(2)
            self.time(f"{name}_snapshot_load", other.take, snapshot)
            self.check(replica, other)

    def w5(self):
        records = self.read("w5")
        replica, *others = self.based(self.read("w1"), 2, 3)
        version = replica.version()
        parts = (("1k", records[:1000]), ("100k", records[1000:]))
        for (name, part), other in zip(parts, others):
            replica.run(part)
            update = self.time(f"{name}_enc", replica.delta, version)
            self.time(f"{name}_enc2", replica.delta, version)
            self.figures[f"{name}_bytes"] = len(update)
            self.time(f"{name}_apply", other.take, update)
            self.check(replica, other)

    def w6(self):
        replica, other = self.based(self.read("w1"), 2)
        records = self.read("w5", 10_000)
        self.figures["bytes"] = self.time("live", replica.live, other, records)
        self.check(replica, other)

    def w7(self):
        base = self.read("w1", 1000)
        replica, other = self.based(base, 2)
        other.bind([record[2] for record in base])
        versions = replica.version(), other.version()
        records = self.read("w7")
        replica.run([record for record in records if record[1] == 0])
        other.run([record for record in records if record[1] == 1])
        there, back = self.time(
            "enc", lambda: (replica.delta(versions[1]), other.delta(versions[0])))
        self.time("apply", lambda: (replica.take(back), other.take(there)))
        self.figures["bytes"] = len(there) + len(back)
        self.check(replica, other)

    def w8(self):
        records = self.read("w1"), self.read("w2")
        replica = self.peer(1)
        start = resident()
        for name, part in zip(("rss_w1", "rss_w1w2"), records):
            replica.run(part)
            self.figures[name] = resident() - start

    def w9(self):
        records = self.read("w9")
        replica = self.peer(1)
        start = resident()
        self.time("run", replica.run, records)
        self.figures["rss"] = resident() - start
        snapshot = self.time("enc", replica.snapshot)
        self.figures["snapshot_bytes"] = len(snapshot)
        other = self.peer(2)
        self.time("load", other.take, snapshot)
        if len(other.value()) != 100:
            sys.exit("peer.py: another number of anchors than 100 is left")


def resident():
    """Resident bytes, without what was freed."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("loro", "yrs"):
        sys.exit("usage: peer.py loro|yrs w1...w9 DIRECTORY")
    system, workload, directory = sys.argv[1:]
    gc.disable()
    workloads = Workloads({"loro": Loro, "yrs": Yrs}[system], directory)
    getattr(workloads, workload)()
    print(json.dumps({"sys": system, "wl": workload, **workloads.figures}))


main()
