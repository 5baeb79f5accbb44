-- A lab in the middle of its work, for the tests of drover-pages: four jobs, five
-- comparisons of more than 300 metrics, a finished bisection, a regression, and a
-- commit subject that tries to be markup. All numbers are made by the arithmetic
-- below, so the file is the same on every machine.
BEGIN;
INSERT INTO repo (id, name, path, url, branch) VALUES (1, 'linux', '/srv/linux', 'https://git.example.org/linux.git', 'master');
INSERT INTO git_commit (id, repo_id, sha, tree, subject, author_name, author_email, authored_s) VALUES
(1, 1, '09414b0d445089bfed3945e2f05e68d3ae4ee29a', 'fe18920df6f891383a8bf956a81901edab7b8eab', 'sched/fair: Rework the idle core search', 'A. Author', 'author@example.org', 1790000000),
(2, 1, 'd3a3b0a186c8a9c6f28d4fdcc3748f4f72dd53d2', '9a1df97879a25ff71c9c74d7a7d085c9d485357c', 'sched: Step 1 of the wakeup rework', 'A. Author', 'author@example.org', 1790003600),
(3, 1, '081da60d7ce8e81703d1c58f736dfbc07341ba82', '64d56fa4ae306703015996cd8ac31fa6805273d9', 'sched: Step 2 of the wakeup rework', 'A. Author', 'author@example.org', 1790007200),
(4, 1, '85c3cc5c152f2cf307ae31334c1a744ac08dc9ad', '4513784d2560002bd27f9d63f8476474dc5f09a5', 'sched: Step 3 of the wakeup rework', 'A. Author', 'author@example.org', 1790010800),
(5, 1, '5a2c665f79716171548a16a8a0dd1b186f27e1ef', 'd4f4db2c35515972a027f5494b1d3d0fc87c1109', 'x86/topology: Cache the die id', 'A. Author', 'author@example.org', 1790014400),
(6, 1, '3f794b808ef0c00f65488542f034576d5ddc1fea', 'dccac8b5f4ed4cb8db56ab38926cf9bbdf8d81b0', 'Documentation: Fix a typo in sched-domains.rst', 'A. Author', 'author@example.org', 1790018000),
(7, 1, '6c3939103638e1b4ff5f664a4585630734aa0479', 'a21daa5f4360eef78a534aa6056b78598f7e59e9', 'sched: Step 6 of the wakeup rework', 'A. Author', 'author@example.org', 1790021600),
(8, 1, '5fb1e19d525a4999ea86f345c7f39d4fb1a6e5c8', '62ba2dc1f8afbc02ac91ece5b104e9231d0cdc83', 'sched: Step 7 of the wakeup rework', 'A. Author', 'author@example.org', 1790025200),
(9, 1, '6076a966f677589ec75edf49b82fb41b7b9e50aa', 'df38df26471f23a2f2e3f907c0ae559878baebfc', 'sched: Step 8 of the wakeup rework', 'A. Author', 'author@example.org', 1790028800),
(10, 1, 'c531b4fe72bd7abf4e7fe58b69369f2828d466d7', 'b9eb6b4802e17c97ba26ddc4e32485f2aa46adf6', 'sched/core: Inline a hot helper', 'A. Author', 'author@example.org', 1790032400),
(11, 1, '75a48f46d46232f6f3f708583354aef8fe2d00b1', '07ecc752d1a2aa957c9b903e6be9dc87d83239b0', 'sched: Step 10 of the wakeup rework', 'A. Author', 'author@example.org', 1790036000),
(12, 1, 'd2763b808c439ef6b9d0287e555867aa7949d653', '84e6e532e75a139debe7df5f0a6cb04b18ac018e', 'sched: Step 11 of the wakeup rework', 'A. Author', 'author@example.org', 1790039600),
(13, 1, '0fe7164169d887981957c289cd11373d899cece2', '64a9513e71c902612ab5c9e3208f699ed97693ca', 'sched: Step 12 of the wakeup rework', 'A. Author', 'author@example.org', 1790043200),
(14, 1, '30499051fd3c9ce2710b4ec6293779fe63d97cd3', '96646477d354ae948613f0de20c53cb03ccafa53', 'sched/numa: Drop a stale comment', 'A. Author', 'author@example.org', 1790046800),
(15, 1, '63f6e7b939b3850aaba8c6c99448092946692206', '4e9bc32bc642bc5416e6cd8df136c2744430d6ce', 'sched: Step 14 of the wakeup rework', 'A. Author', 'author@example.org', 1790050400),
(16, 1, 'aa2aeb9c82341fada439fe2bbd780c95dfaf1867', '4f928451636eb62b901a38ede955e3024d4f6f9f', 'sched: Step 15 of the wakeup rework', 'A. Author', 'author@example.org', 1790054000),
(17, 1, '30904997ee195dcc92ff2724c30b1748920fbdaa', '77c8b1d97add04ff30d3d86a22a4887fe7924930', 'sched: Move the LLC id into struct rq', 'A. Author', 'author@example.org', 1790057600),
(18, 1, '172008e5b77325c2465d67df0971c12ddc6d2ccf', '8270ff3aaf9f2379abc54cad79b97850d4416787', 'sched/fair: <script>alert("x")</script> & prefer ''idle'' <b>cores</b>]]>', 'A. Author', 'author@example.org', 1790061200),
(19, 1, '012cb62501d8e05007bea0be35b63df07da6e895', 'bd7f2748d765d987d27245562f51d161408e5fde', 'mm/page_alloc: Count zone fallbacks per node', 'A. Author', 'author@example.org', 1790064800),
(20, 1, '44100732cad998a04f5f0b3907e8fad7f361530d', '096574409b3177336e44a37ab2a4900322ee1e9c', 'sched: Step 19 of the wakeup rework', 'A. Author', 'author@example.org', 1790068400),
(21, 1, 'a55c4090624ee0a104cc5f111ed8d6cd225a0c4d', '7380e34a221142ffb459166add7302b82f3e10b5', 'sched: Step 20 of the wakeup rework', 'A. Author', 'author@example.org', 1790072000),
(22, 1, '756b2fe249796dd0f9ab6154eb5a436037656dd2', 'd65a599e3198f4030bc67d4449f8242600327bfc', 'sched: Step 21 of the wakeup rework', 'A. Author', 'author@example.org', 1790075600),
(23, 1, '17942b98fdbf38bab69af3f91d1d069edfe80345', '785c9b1ce3d072abebc90e371154a6eae964e814', 'sched: Step 22 of the wakeup rework', 'A. Author', 'author@example.org', 1790079200),
(24, 1, '51222ef4fd0667f7ea8bc9d5699749da0f85c697', '8cecb8d098bd6ce5974c42ca0c106a25aad7df9a', 'sched: Step 23 of the wakeup rework', 'A. Author', 'author@example.org', 1790082800),
(25, 1, 'b166c89097eb3a86d4bd0f75c476188e3a107a09', '054e8cbf1078a2e564cbf742a5508ffabbfa4ed0', 'sched/fair: Tidy up select_idle_sibling()', 'A. Author', 'author@example.org', 1790086400);
INSERT INTO box (id, name, tbox_group, tags, state, why, spec_json, hw_json, infra_failures) VALUES
(1, 'numa-a', 'numa-a', 'numa fast', 'ready', '', '{"name": "numa-a", "backend": "ssh", "address": "192.0.2.7", "host_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFixture", "description": "two sockets, rack 4", "boot": {"method": "kexec"}}', '{"model": "Example Xeon 8480", "nr_cpus": 224, "nodes": 2, "memory_kib": 536870912}', 0),
(2, 'numa-b', 'numa-b', '', 'quarantined', 'A/A boots differ by 4.1%: <fan> of node 1 stands still', '{"name": "numa-b", "backend": "ssh"}', '{"model": "Example EPYC 9654", "nr_cpus": 384, "nodes": 2, "memory_kib": 805306368}', 3),
(3, 'numa-c', 'numa-c', '', 'drained', 'memory upgrade', '{"name": "numa-c", "backend": "ssh"}', '{}', 0);
INSERT INTO job (id, created_s, ended_s, uid, repo_id, base_id, head_id, name, yaml, options_json, prio, state) VALUES
(1, 1791000000, 1791020000, 1000, 1, 1, 25, 'stress-ng-pipeherd', 'suite: stress-ng
testcase: stress-ng
nr_threads: 100%
test: pipeherd
testtime: 60s
', '{}', 0, 'done'),
(2, 1791030000, 1791040000, 1000, 1, 4, 7, 'stress-ng-mixed', 'suite: stress-ng
testcase: stress-ng
nr_threads: 100%
test: pipeherd
testtime: 60s
', '{}', 0, 'done'),
(3, 1791050000, NULL, 1000, 1, 10, 18, 'stress-ng-pipeherd', 'suite: stress-ng
testcase: stress-ng
nr_threads: 100%
test: pipeherd
testtime: 60s
', '{}', 5, 'running'),
(4, 1791051000, NULL, 1000, 1, 2, 3, 'stress-ng-tee', 'suite: stress-ng
testcase: stress-ng
nr_threads: 100%
test: pipeherd
testtime: 60s
', '{}', 0, 'queued');
INSERT INTO series (id, repo_id, testcase, path, job_json, tbox_group, rootfs, kconfig, compiler) VALUES
(1, 1, 'stress-ng', 'stress-ng/pipeherd-60s-100%', '{"suite": "stress-ng", "testcase": "stress-ng", "path": "stress-ng/pipeherd-60s-100%", "params": {"nr_threads": "100%", "test": "pipeherd", "testtime": "60s"}, "settings": {}}', 'numa-a', 'debian-12-x86_64', 'x86_64-rhel-9.4', 'gcc-12'),
(2, 1, 'stress-ng', 'stress-ng/tee-60s-100%', '{"suite": "stress-ng", "testcase": "stress-ng", "path": "stress-ng/tee-60s-100%", "params": {"nr_threads": "100%", "test": "tee", "testtime": "60s"}, "settings": {}}', 'numa-a', 'debian-12-x86_64', 'x86_64-rhel-9.4', 'gcc-12'),
(3, 1, 'stress-ng', 'stress-ng/fork-60s-100%', '{"suite": "stress-ng", "testcase": "stress-ng", "path": "stress-ng/fork-60s-100%", "params": {"nr_threads": "100%", "test": "fork", "testtime": "60s"}, "settings": {}}', 'numa-a', 'debian-12-x86_64', 'x86_64-rhel-9.4', 'gcc-12');
INSERT INTO comparison (id, job_id, series_id, box_id, base_id, head_id, state, verdict, headline, direction, change_pct, e_value, ci_low_pct, ci_high_pct, evidence_json, why, created_s, ended_s) VALUES
(1, 1, 1, 1, 1, 25, 'done', 'regression', 'stress-ng.pipeherd.ops_per_sec', 'higher', -9.7, 77950.7, -11.2, -8.3, '{"pairs": 6, "min_effect_pct": 1, "layout_check": "effect stays under a second layout"}', 'stress-ng.pipeherd.ops_per_sec: 9.7% regression, E = 7.8e+04, 95% CI -11.2% … -8.3%, 6 boots a side', 1791000000, 1791010000),
(2, 2, 2, 1, 4, 7, 'done', 'improvement', 'stress-ng.tee.ops_per_sec', 'higher', 4.2, 512.25, 3.1, 5.4, '{"pairs": 6}', 'stress-ng.tee.ops_per_sec: 4.2% improvement, 6 boots a side', 1791030000, 1791039000),
(3, 2, 3, 1, 4, 7, 'done', 'no-change', 'stress-ng.fork.ops_per_sec', 'higher', 0.1, 0.21, -0.8, 0.9, '{}', 'stress-ng.fork.ops_per_sec: no change of 1% or more', 1791030000, 1791040000),
(4, 3, 1, 1, 10, 18, 'running', '', '', 'higher', NULL, NULL, NULL, NULL, '{}', '', 1791050000, NULL),
(5, 4, 2, 1, 2, 3, 'new', '', '', 'higher', NULL, NULL, NULL, NULL, '{}', '', 1791051000, NULL);

INSERT INTO metric (id, name) VALUES
(1, 'stress-ng.pipeherd.ops_per_sec'),
(2, 'stress-ng.pipeherd.ops'),
(3, 'stress-ng.tee.ops_per_sec'),
(4, 'stress-ng.fork.ops_per_sec'),
(5, 'stress-ng.time.elapsed_time'),
(6, 'stress-ng.time.system_time'),
(7, 'stress-ng.time.user_time'),
(8, 'stress-ng.time.voluntary_context_switches'),
(9, 'stress-ng.time.involuntary_context_switches'),
(10, 'stress-ng.time.minor_page_faults'),
(11, 'stress-ng.time.percent_of_cpu_this_job_got'),
(12, 'vmstat.system.cs'),
(13, 'vmstat.system.in'),
(14, 'vmstat.cpu.sy'),
(15, 'vmstat.cpu.us'),
(16, 'mpstat.cpu.all.sys%'),
(17, 'mpstat.cpu.all.usr%'),
(18, 'mpstat.cpu.all.irq%'),
(19, 'perf-stat.i.instructions'),
(20, 'perf-stat.i.cpu-migrations'),
(21, 'perf-stat.i.context-switches'),
(22, 'perf-stat.overall.ipc'),
(23, 'perf-stat.overall.MPKI'),
(24, 'perf-stat.i.cache-misses'),
(25, 'perf-stat.ps.branch-misses'),
(26, 'numa-numastat.node0.numa_hit'),
(27, 'numa-numastat.node1.numa_hit'),
(28, 'numa-numastat.node0.other_node'),
(29, 'numa-numastat.node1.other_node'),
(30, 'numa-vmstat.node0.nr_active_anon'),
(31, 'numa-vmstat.node1.nr_active_anon'),
(32, 'numa-meminfo.node0.Active'),
(33, 'numa-meminfo.node1.Active'),
(34, 'meminfo.Active'),
(35, 'meminfo.Memused'),
(36, 'meminfo.SUnreclaim'),
(37, 'proc-vmstat.nr_active_anon'),
(38, 'proc-vmstat.pgfault'),
(39, 'proc-vmstat.numa_hit'),
(40, 'proc-vmstat.pgalloc_normal'),
(41, 'turbostat.Bzy_MHz'),
(42, 'turbostat.PkgWatt'),
(43, 'turbostat.IRQ'),
(44, 'turbostat.C1%'),
(45, 'perf-profile.calltrace.cycles-pp.pipe_read.vfs_read.ksys_read.do_syscall_64.entry_SYSCALL_64_after_hwframe'),
(46, 'perf-profile.calltrace.cycles-pp.schedule.pipe_read.vfs_read.ksys_read.do_syscall_64'),
(47, 'perf-profile.children.cycles-pp.select_idle_sibling'),
(48, 'perf-profile.children.cycles-pp.try_to_wake_up'),
(49, 'perf-profile.self.cycles-pp.select_idle_cpu'),
(50, 'perf-profile.self.cycles-pp.update_load_avg');
INSERT INTO metric (id, name)
WITH RECURSIVE n(i) AS (SELECT 51 UNION ALL SELECT i + 1 FROM n WHERE i < 340)
SELECT i, CASE i % 4 WHEN 0 THEN 'sched_debug.cfs_rq:/.load_' || i || '.avg' WHEN 1 THEN 'slabinfo.kmalloc-' || i || '.active_objs'
	WHEN 2 THEN 'proc-vmstat.counter_' || i ELSE 'perf-profile.children.cycles-pp.function_' || i END FROM n;

-- Kernels of all commits that were booted.
INSERT INTO artifact (id, repo_id, tree, kconfig, layout, commit_id, state, key, kernel_path, build_id, seconds, why)
SELECT id, 1, tree, '', 0, id, iif(id = 14, 'failed', 'done'), iif(id = 14, NULL, printf('%064x', id * 7919)), iif(id = 14, NULL, '/var/lib/drover/k/' || id || '/bzImage'),
	iif(id = 14, NULL, printf('%040x', id * 104729)), 80 + id, iif(id = 14, 'kernel/sched/fair.c:7003:9: error: too few arguments', '')
FROM git_commit WHERE id IN (1, 25, 14, 5, 19, 10, 17, 18, 4, 7, 2, 3);

-- Six pairs of boots a comparison, base and head in turn; the fourth is half
-- way: three pairs done, one boot leased, the rest queued.
INSERT INTO plan (job_id, comparison_id, seq, commit_id, artifact_id, box_id, nr_runs, state)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
SELECT c.job_id, c.id, n.i, iif(n.i % 2, c.base_id, c.head_id), iif(n.i % 2, c.base_id, c.head_id), 1, 2,
	CASE WHEN c.id = 5 OR c.id = 4 AND n.i > 7 THEN 'queued' WHEN c.id = 4 AND n.i = 7 THEN 'leased' ELSE 'done' END
FROM comparison c, n ORDER BY c.id, n.i;

INSERT INTO bisect (id, comparison_id, state, start_json, engine_json, verdict, commits_json, posterior, evidence_json, why, created_s, ended_s) VALUES
(1, 1, 'done', '{}', '{"rounds":[[{"box":"numa-a","commit":"09414b0d445089bfed3945e2f05e68d3ae4ee29a","layout":0,"values":[64981207.0]},{"box":"numa-a","commit":"b166c89097eb3a86d4bd0f75c476188e3a107a09","layout":0,"values":[57486330.0]}],[{"box":"numa-a","commit":"b166c89097eb3a86d4bd0f75c476188e3a107a09","layout":0,"values":[56457349.0]},{"box":"numa-a","commit":"09414b0d445089bfed3945e2f05e68d3ae4ee29a","layout":0,"values":[65352604.0]}],[{"box":"numa-a","commit":"30499051fd3c9ce2710b4ec6293779fe63d97cd3","layout":0,"status":"unbuildable"}],[{"box":"numa-a","commit":"5a2c665f79716171548a16a8a0dd1b186f27e1ef","layout":0,"values":[63262246.0]}],[{"box":"numa-a","commit":"012cb62501d8e05007bea0be35b63df07da6e895","layout":0,"values":[58164705.0]}],[{"box":"numa-a","commit":"c531b4fe72bd7abf4e7fe58b69369f2828d466d7","layout":0,"values":[64797885.0]}],[{"box":"numa-a","commit":"30904997ee195dcc92ff2724c30b1748920fbdaa","layout":0,"values":[64843729.0]}],[{"box":"numa-a","commit":"172008e5b77325c2465d67df0971c12ddc6d2ccf","layout":0,"values":[59114416.0]}],[{"box":"numa-a","commit":"30904997ee195dcc92ff2724c30b1748920fbdaa","layout":1,"values":[64180409.0]},{"box":"numa-a","commit":"172008e5b77325c2465d67df0971c12ddc6d2ccf","layout":1,"values":[57487342.0]}],[{"box":"numa-a","commit":"172008e5b77325c2465d67df0971c12ddc6d2ccf","layout":1,"values":[57350089.0]},{"box":"numa-a","commit":"30904997ee195dcc92ff2724c30b1748920fbdaa","layout":1,"values":[63678174.0]}],[{"box":"numa-a","commit":"30904997ee195dcc92ff2724c30b1748920fbdaa","layout":1,"values":[65029823.0]},{"box":"numa-a","commit":"172008e5b77325c2465d67df0971c12ddc6d2ccf","layout":1,"values":[57855422.0]}],[{"box":"numa-a","commit":"172008e5b77325c2465d67df0971c12ddc6d2ccf","layout":1,"values":[57983214.0]},{"box":"numa-a","commit":"30904997ee195dcc92ff2724c30b1748920fbdaa","layout":1,"values":[63980625.0]}]],"start":{"bad":"b166c89097eb3a86d4bd0f75c476188e3a107a09","boxes":["numa-a"],"budget_runs":400,"calibration":{"boot_share":0.59999999999999998,"dof":20.0,"drift_sd":-1.0,"layout_sd":0.0040000000000000001,"sd":0.02},"claim":-0.097000000000000003,"commits":[{"id":"09414b0d445089bfed3945e2f05e68d3ae4ee29a","parents":[]},{"id":"d3a3b0a186c8a9c6f28d4fdcc3748f4f72dd53d2","parents":["09414b0d445089bfed3945e2f05e68d3ae4ee29a"]},{"id":"081da60d7ce8e81703d1c58f736dfbc07341ba82","parents":["d3a3b0a186c8a9c6f28d4fdcc3748f4f72dd53d2"]},{"id":"85c3cc5c152f2cf307ae31334c1a744ac08dc9ad","parents":["081da60d7ce8e81703d1c58f736dfbc07341ba82"],"weight":3.0},{"id":"5a2c665f79716171548a16a8a0dd1b186f27e1ef","parents":["85c3cc5c152f2cf307ae31334c1a744ac08dc9ad"]},{"cannot_matter":true,"id":"3f794b808ef0c00f65488542f034576d5ddc1fea","parents":["5a2c665f79716171548a16a8a0dd1b186f27e1ef"]},{"id":"6c3939103638e1b4ff5f664a4585630734aa0479","parents":["3f794b808ef0c00f65488542f034576d5ddc1fea"]},{"id":"5fb1e19d525a4999ea86f345c7f39d4fb1a6e5c8","parents":["6c3939103638e1b4ff5f664a4585630734aa0479"]},{"id":"6076a966f677589ec75edf49b82fb41b7b9e50aa","parents":["5fb1e19d525a4999ea86f345c7f39d4fb1a6e5c8"]},{"id":"c531b4fe72bd7abf4e7fe58b69369f2828d466d7","parents":["6076a966f677589ec75edf49b82fb41b7b9e50aa"]},{"id":"75a48f46d46232f6f3f708583354aef8fe2d00b1","parents":["c531b4fe72bd7abf4e7fe58b69369f2828d466d7"]},{"id":"d2763b808c439ef6b9d0287e555867aa7949d653","parents":["75a48f46d46232f6f3f708583354aef8fe2d00b1"]},{"id":"0fe7164169d887981957c289cd11373d899cece2","parents":["d2763b808c439ef6b9d0287e555867aa7949d653"]},{"id":"30499051fd3c9ce2710b4ec6293779fe63d97cd3","parents":["0fe7164169d887981957c289cd11373d899cece2"]},{"id":"63f6e7b939b3850aaba8c6c99448092946692206","parents":["30499051fd3c9ce2710b4ec6293779fe63d97cd3"]},{"id":"aa2aeb9c82341fada439fe2bbd780c95dfaf1867","parents":["63f6e7b939b3850aaba8c6c99448092946692206"]},{"id":"30904997ee195dcc92ff2724c30b1748920fbdaa","parents":["aa2aeb9c82341fada439fe2bbd780c95dfaf1867"]},{"id":"172008e5b77325c2465d67df0971c12ddc6d2ccf","parents":["30904997ee195dcc92ff2724c30b1748920fbdaa"],"weight":3.0},{"id":"012cb62501d8e05007bea0be35b63df07da6e895","parents":["172008e5b77325c2465d67df0971c12ddc6d2ccf"]},{"id":"44100732cad998a04f5f0b3907e8fad7f361530d","parents":["012cb62501d8e05007bea0be35b63df07da6e895"]},{"id":"a55c4090624ee0a104cc5f111ed8d6cd225a0c4d","parents":["44100732cad998a04f5f0b3907e8fad7f361530d"]},{"id":"756b2fe249796dd0f9ab6154eb5a436037656dd2","parents":["a55c4090624ee0a104cc5f111ed8d6cd225a0c4d"]},{"id":"17942b98fdbf38bab69af3f91d1d069edfe80345","parents":["756b2fe249796dd0f9ab6154eb5a436037656dd2"]},{"id":"51222ef4fd0667f7ea8bc9d5699749da0f85c697","parents":["17942b98fdbf38bab69af3f91d1d069edfe80345"]},{"id":"b166c89097eb3a86d4bd0f75c476188e3a107a09","parents":["51222ef4fd0667f7ea8bc9d5699749da0f85c697"]}],"cost":{"boot":30.0,"build":60.0,"run":10.0},"direction":"higher","good":"09414b0d445089bfed3945e2f05e68d3ae4ee29a","op":"start","parallel":2}}', 'culprit', '["172008e5b77325c2465d67df0971c12ddc6d2ccf"]', 0.9999, '{}', 'verified against its parent in fresh boots: -9.7%, E = 7.8e+04', 1791010000, 1791019000);
-- what the daemon stores of the range: names, the good commit first
UPDATE bisect SET start_json = json_set(json_extract(engine_json, '$.start'),
	'$.commits', (SELECT json_group_array(json_object('sha', c.value ->> 'id',
		'subject', ifnull((SELECT subject FROM git_commit k WHERE k.sha = c.value ->> 'id'), ''),
		'weight', ifnull(c.value ->> 'weight', 1.0), 'idle', json('false')))
	FROM json_each(engine_json, '$.start.commits') c));

-- One step a round, one boot for each answer.
INSERT INTO bisect_step (bisect_id, seq, ask_json, result_json, note)
SELECT 1, r.key + 1, '{}', r.value, 'round ' || (r.key + 1) || ': ' || json_array_length(r.value) || ' boots'
FROM bisect b, json_each(b.engine_json, '$.rounds') r ORDER BY r.key;
INSERT INTO plan (job_id, comparison_id, step_id, seq, commit_id, artifact_id, box_id, nr_runs, state, failure, why)
SELECT 1, 1, t.id, 100 + 10 * t.seq + a.key, g.id, g.id, 1, 1, iif(a.value ->> 'status' IS NULL, 'done', 'failed'),
	iif(a.value ->> 'status' IS NULL, '', 'build'), iif(a.value ->> 'status' IS NULL, '', 'fair.c:7003: error: too few arguments to function')
FROM bisect_step t, json_each(t.result_json) a JOIN git_commit g ON g.sha = a.value ->> 'commit' ORDER BY t.seq, a.key;

INSERT INTO attempt (kind, plan_id, artifact_id, box_id, folder, token, state, started_s, ended_s)
SELECT 'run', p.id, p.artifact_id, p.box_id, '/var/lib/drover/tasks/' || p.id, printf('%08x', p.id * 40503), iif(p.state = 'leased', 'leased', 'done'),
	(SELECT created_s FROM comparison WHERE id = p.comparison_id) + p.seq * 300, iif(p.state = 'leased', NULL, (SELECT created_s FROM comparison WHERE id = p.comparison_id) + p.seq * 300 + 240)
FROM plan p WHERE p.state IN ('done', 'leased');
INSERT INTO boot (attempt_id, plan_id, box_id, commit_id, artifact_id, layout, boot_id, build_id, booted_s, boot_seconds)
SELECT a.id, p.id, p.box_id, p.commit_id, p.artifact_id, p.layout, printf('%032x', a.id), printf('%040x', p.artifact_id * 104729), a.started_s + 30, 21.5
FROM attempt a JOIN plan p ON p.id = a.plan_id WHERE a.state = 'done';
INSERT INTO run (boot_id, series_id, commit_id, seq, state, why, started_s, seconds)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 2)
SELECT o.id, c.series_id, o.commit_id, n.i, iif(p.id = 5 AND n.i = 2, 'failed', 'done'), iif(p.id = 5 AND n.i = 2, 'benchmark ended with 2', ''), o.booted_s + n.i * 65, 60.2
FROM boot o JOIN plan p ON p.id = o.plan_id JOIN comparison c ON c.id = p.comparison_id JOIN n ON n.i <= p.nr_runs ORDER BY o.id, n.i;
INSERT INTO run_failure (run_id, name) SELECT id, 'stderr.stress-ng:error' FROM run WHERE state = 'failed';
INSERT INTO run_failure (run_id, name) SELECT r.id, 'dmesg.WARNING:at#try_to_wake_up' FROM run r JOIN boot o ON o.id = r.boot_id JOIN plan p ON p.id = o.plan_id
	WHERE p.comparison_id = 1 AND p.step_id IS NULL AND p.seq % 2 = 0 AND r.seq = 1;

-- Levels of many sizes, noise between boots and between runs, and an effect on
-- every ninth metric of the head.
INSERT INTO sample (run_id, metric_id, value)
SELECT r.id, m.id, v.level * (1 + v.effect + ((o.id * 7919 + m.id * 104729) % 1000 - 500) * 2e-5 + ((r.id * 6367 + m.id * 31) % 1000 - 500) * 1e-5)
FROM run r JOIN boot o ON o.id = r.boot_id JOIN plan p ON p.id = o.plan_id JOIN comparison c ON c.id = p.comparison_id JOIN metric m
JOIN (SELECT c.id AS cid, m.id AS mid, g.id AS gid,
		CASE WHEN m.id <= 4 THEN 64412000.0 WHEN m.name LIKE 'perf-profile%' OR m.name LIKE '%!%' ESCAPE '!' THEN 0.1 + m.id % 37 / 5.0
			ELSE (1 + m.id * 31 % 97 / 10.0) * CASE m.id % 6 WHEN 0 THEN 1 WHEN 1 THEN 1e2 WHEN 2 THEN 1e4 WHEN 3 THEN 1e6 WHEN 4 THEN 12.0 ELSE 1e9 END END AS level,
		CASE WHEN g.id <> c.head_id THEN 0 WHEN m.id <= 4 THEN ifnull(c.change_pct, -1.5) / 100 WHEN c.id <> 3 AND m.id % 7 = 0 THEN (m.id * 13 % 41 - 20) / 60.0 ELSE 0 END AS effect
	FROM comparison c, metric m, git_commit g WHERE g.id IN (c.base_id, c.head_id)) v
	ON v.cid = c.id AND v.mid = m.id AND v.gid = o.commit_id
WHERE p.step_id IS NULL AND r.state = 'done' AND (m.id > 4 OR m.name LIKE '%.' || replace(replace((SELECT path FROM series s WHERE s.id = c.series_id), 'stress-ng/', ''), '-60s-100%', '') || '.%');

-- Every kind of row that the mails mention.
INSERT INTO regression (id, comparison_id, bisect_id, culprit_id, state, created_s) VALUES (1, 1, 1, 18, 'confirmed', 1791010000);
INSERT INTO state_change (regression_id, at_s, from_state, to_state, who, why) VALUES
(1, 1791010000, '', 'open', 'drover', 'E = 7.8e+04'), (1, 1791019000, 'open', 'confirmed', 'drover', 'verified against its parent');
INSERT INTO outbox (id, message_id, job_id, comparison_id, subject, body, headers_json, state, created_s, sent_s) VALUES
(1, '202610051234.012cb62-drover@lab.example.org', 1, 1, '[linux:master] [sched/fair]  172008e5b7:  stress-ng.pipeherd.ops_per_sec 9.7% regression', 'Hello,

drover noticed a 9.7% regression of stress-ng.pipeherd.ops_per_sec on:


commit: 172008e5b77325c2465d67df0971c12ddc6d2ccf ("sched/fair: <script>alert("x")</script> & prefer ''idle'' <b>cores</b>]]>")

If you fix the issue in a separate patch/commit (i.e. not just a new version of
the same patch/commit), kindly add following tags
| Reported-by: drover <drover@lab.example.org>
| Closes: https://lab.example.org/r/1/
', '{"from": "drover@lab.example.org", "to": ["author@example.org"], "cc": []}', 'sent', 1791019000, 1791019100);
INSERT INTO calibration (comparison_id, series_id, box_id, commit_id, kconfig, nr_boots, nr_layouts, by_itself, created_s, at_s, boots, runs, headline, verdict, why) VALUES (1, 1, 1, 1, '', 20, 2, 0, 1790980000, 1790990000, 20, 40, 'stress-ng.pipeherd.ops_per_sec', 'ok', 'stress-ng.pipeherd.ops_per_sec: 20 boots, 40 runs: one run in a fresh boot ±1.02%, 81% of the variance between boots, drift 0.10% a boot, code layouts ±0.40%, 0 of 500 splits called a change');
INSERT INTO calibration_metric (calibration_id, metric, kpi, mean, sd_ratio, sd_run_ratio, sd_boot_ratio, boot_share, dof, drift_ratio, offset_ratio, layout_sd_ratio, aa_trials, aa_alarms, halves_ratio, halves_e, verdict) VALUES (1, 'stress-ng.pipeherd.ops_per_sec', 1, 64981207, 0.0102, 0.0044, 0.0092, 0.81, 21.5, 0.001, -0.004, 0.004, 500, 0, 0.002, 0.4, 'ok');
INSERT INTO event (at_s, job_id, kind, text) VALUES
(1791000000, 1, 'stage', 'submitted'), (1791000010, 1, 'stage', 'building the base'), (1791003600, 1, 'retry', 'numa-a: no answer for 30 s; tried again'),
(1791010000, 1, 'verdict', 'comparison 1: regression'), (1791010000, 1, 'bisect', 'bisection 1 started: 24 candidates'), (1791019000, 1, 'verdict', 'first bad commit 172008e5b773'), (1791020000, 1, 'mail', 'sent to author@example.org'),
(1791030000, 2, 'stage', 'submitted'), (1791040000, 2, 'verdict', 'two comparisons done'), (1791050000, 3, 'stage', 'submitted'), (1791051000, 4, 'stage', 'queued'), (1791052000, NULL, 'box', 'numa-b is quarantined');
COMMIT;
